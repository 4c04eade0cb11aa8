/** True in `npm run soak`, which runs long tests of the whole system; `npm test` runs their short forms. */
export const isSoak = process.env["ARLARENA_SOAK"] !== undefined;

/**
 * Defines tests that only `npm test` runs, in a file that `npm run soak` also runs, where they would show nothing
 * new.
 */
export function onlyInTest(define: () => void): void {
  if (!isSoak) define();
}

/** Defines tests that only `npm run soak` runs, in a file that `npm test` also runs. */
export function onlyInSoak(define: () => void): void {
  if (isSoak) define();
}
