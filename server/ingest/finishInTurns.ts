import { setImmediate } from "node:timers/promises";
import type { Interruptible } from "#server/domain/interruptible.ts";

/** Does long work and lets whoever waits for this process have its turn in between. */
export async function finishInTurns<Result>(work: Interruptible<Result>): Promise<Result> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    await setImmediate();
  }
}
