import { expect, it } from "vitest";
import { sayQueue } from "./QueueView.tsx";

const sweep = (sweepName: string, numLive: number, numPending: number, intent = "run" as const) => ({
  sweepName,
  numLive,
  numPending,
  intent,
});

it("counts what runs and waits, and names the sweep that is next", () => {
  expect(sayQueue([])).toBe("");
  expect(sayQueue([sweep("A", 1, 0)])).toBe("1 run is training, none waits.");
  const paused = { ...sweep("A", 0, 3), intent: "pause" as const };
  expect(sayQueue([paused, sweep("B", 2, 1)])).toBe("2 runs are training, 4 runs wait; next: B.");
});
