/** True in `npm run soak`, which has the long tests of whole systems; `npm test` has their short forms. */
export const isSoak = process.env["ARLARENA_SOAK"] !== undefined;

/** Tests of `npm test` in a file that both commands run: twice they would take time and find nothing more. */
export function onlyInTest(define: () => void): void {
  if (!isSoak) define();
}

/** Tests of `npm run soak` in a file that both commands run. */
export function onlyInSoak(define: () => void): void {
  if (isSoak) define();
}
