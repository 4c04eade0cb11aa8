/** A long computation that yields at points where other work may run first. */
export type Interruptible<Result> = Generator<undefined, Result, undefined>;

/** Runs the computation to its end without interruption. */
export function finish<Result>(work: Interruptible<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
