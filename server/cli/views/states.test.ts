import { expect, it } from "vitest";
import { countRuns } from "#server/domain/runs/progress.ts";
import { sweepState } from "./states.ts";

it.each([
  ["run", "pending"],
  ["pause", "paused"],
  ["cancel", "cancelled"],
] as const)("names the state of a search without runs, with the intent %s: %s", (intent, text) => {
  expect(sweepState({ intent, counts: countRuns([]), numRuns: 0, origin: "plan" }).text).toBe(text);
});
