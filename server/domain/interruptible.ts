/** Long work that yields wherever something else may be done first. */
export type Interruptible<Result> = Generator<undefined, Result, undefined>;

/** Does it in one go. */
export function finish<Result>(work: Interruptible<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
