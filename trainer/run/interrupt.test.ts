import { expect, test } from "vitest";
import { Interrupted, interruptedEarly, letSignalsIn, makeInterrupt } from "./interrupt.ts";

test("a check passes until a stop is requested, and throws from then on", () => {
  const interrupt = makeInterrupt();
  interrupt.check();
  interrupt.request();
  expect(() => interrupt.check()).toThrow(Interrupted);
  expect(() => interrupt.check()).toThrow(Interrupted);
});

test("a run that never checks is stopped at the deadline, counted from the first request", async () => {
  const interrupt = makeInterrupt(100);
  const begin = Date.now();
  interrupt.request();
  const busy = (async () => {
    while (Date.now() < begin + 200) {
      interrupt.request();
      await letSignalsIn();
    }
  })();
  interrupt.atDeadline(() => ({ exit: "interrupted", reason: "after iteration 3" }));
  expect(await interrupt.deadline).toEqual({ exit: "interrupted", reason: "after iteration 3" });
  expect(Date.now() - begin).toBeGreaterThanOrEqual(99);
  expect(Date.now() - begin).toBeLessThan(200);
  await busy;
});

test("before the first iteration there is nothing to save at the deadline", async () => {
  const interrupt = makeInterrupt(1);
  interrupt.request();
  expect(await interrupt.deadline).toEqual(interruptedEarly);
});

test("what cannot be saved at the deadline is an error, not an interruption", async () => {
  const interrupt = makeInterrupt(1);
  interrupt.atDeadline(() => {
    throw new Error("disk full");
  });
  interrupt.request();
  await expect(interrupt.deadline).rejects.toThrow("disk full");
});
