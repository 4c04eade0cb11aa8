import { expect, it } from "vitest";
import { type Pace, timeLeft } from "./pace.ts";

const none = { pending: 0, starting: 0, running: 0, unknown: 0, finished: 0, failed: 0, cancelled: 0 };
const pace: Pace = {
  intent: "run",
  counts: { ...none, finished: 2, running: 2, pending: 4 },
  iterationsDone: 100,
  iterationsLeft: 300,
  busyMs: 100_000,
};

it("is what the rest costs at the price so far, shared by those who run", () => {
  expect(timeLeft(pace)).toBe(150_000);
  expect(timeLeft({ ...pace, counts: { ...none, running: 1, starting: 4, unknown: 1 } })).toBe(50_000);
  expect(timeLeft({ ...pace, iterationsLeft: 0 })).toBe(0);
});

it("is unknown where nothing runs, nothing was done, or no new run starts", () => {
  expect(timeLeft({ ...pace, counts: { ...none, pending: 8 } })).toBeUndefined();
  expect(timeLeft({ ...pace, iterationsDone: 0 })).toBeUndefined();
  expect(timeLeft({ ...pace, intent: "pause" })).toBeUndefined();
  expect(timeLeft({ ...pace, intent: "cancel" })).toBeUndefined();
});
