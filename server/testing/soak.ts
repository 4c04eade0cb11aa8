/** True in `npm run soak`, which runs the long tests of whole systems; `npm test` runs their short forms. */
export const isSoak = process.env["ARLARENA_SOAK"] !== undefined;

/** Defines tests that only `npm test` runs, in a file that both commands run. A second run would find nothing new. */
export function onlyInTest(define: () => void): void {
  if (!isSoak) define();
}

/** Defines tests that only `npm run soak` runs, in a file that both commands run. */
export function onlyInSoak(define: () => void): void {
  if (isSoak) define();
}
