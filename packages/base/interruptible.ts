/** A long computation as a generator, which yields at each place where other work may run. */
export type Interruptible<Result> = Generator<undefined, Result, undefined>;

export function finish<Result>(work: Interruptible<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
