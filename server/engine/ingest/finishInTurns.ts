import { setImmediate } from "node:timers/promises";
import type { Interruptible } from "#packages/base";

/** Runs long work in slices, between which other work of this process can run. */
export async function finishInTurns<Result>(work: Interruptible<Result>): Promise<Result> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    await setImmediate();
  }
}
