/** A long computation that yields wherever other work may go first. */
export type Interruptible<Result> = Generator<undefined, Result, undefined>;

/** Runs it to the end without interruption. */
export function finish<Result>(work: Interruptible<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
