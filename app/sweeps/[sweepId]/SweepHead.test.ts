import { expect, it } from "vitest";
import { awaitsResult, formatTime } from "./SweepHead.tsx";

const none = { pending: 0, starting: 0, running: 0, unknown: 0, finished: 0, failed: 0, cancelled: 0 };
const sweep = {
  intent: "run",
  counts: { ...none, running: 2, pending: 2 },
  iterationsDone: 100,
  iterationsLeft: 300,
  busyMs: 120_000,
  startedAt: new Date(0),
  endedAt: null,
} as const;

it("estimates the rest at the sweep's own pace", () => {
  expect(formatTime(sweep, 60_000, null)).toBe("1 min so far, about 3 min left");
});

it.each([
  [{ ...sweep, startedAt: null }, "not started yet"],
  [{ ...sweep, origin: "import" as const }, "being imported"],
  [{ ...sweep, iterationsDone: 0 }, "1 min so far"],
  [{ ...sweep, intent: "pause" as const }, "1 min so far, paused: no new run starts"],
  [{ ...sweep, fullDisks: ["here"] }, "1 min so far, paused: disk full on here"],
  [{ ...sweep, startedAt: null, fullDisks: ["here"] }, "paused: disk full on here"],
  [{ ...sweep, intent: "cancel" as const }, "1 min so far, being cancelled"],
  [{ ...sweep, counts: { ...none, finished: 4 }, endedAt: new Date(90_000) }, "took 1 min 30 s, 100 iterations"],
])("gives no estimate where there is none to give", (progress, text) => {
  expect(formatTime(progress, 60_000, null)).toBe(text);
});

it("announces the first result only of a sweep that is to train its first iteration", () => {
  const fresh = { ...sweep, numRuns: 4, iterationsDone: 0 };
  expect(awaitsResult(fresh, "")).toBe(true);
  expect(awaitsResult(fresh, undefined), "loading, or an error").toBe(false);
  expect(awaitsResult({ ...fresh, iterationsDone: 100 }, "")).toBe(false);
  expect(awaitsResult({ ...fresh, intent: "pause" }, "")).toBe(false);
  expect(awaitsResult({ ...fresh, intent: "cancel" }, "")).toBe(false);
  expect(awaitsResult({ ...fresh, counts: { ...none, failed: 4 } }, "")).toBe(false);
});
