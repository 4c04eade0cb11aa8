import { expect, it } from "vitest";
import { methodOf } from "#trainer/spec/method.ts";
import { CellSpec } from "#trainer/spec/run.ts";
import { differencesOf } from "./expand/conflicts.ts";

const cellOf = (rollout: object): CellSpec =>
  CellSpec.parse({ environment: { id: "sokoban" }, method: methodOf("grpo"), rollout });

it("names the settings that differ, those too that only one of the cells has", () => {
  const [exact, lagging] = [cellOf({}), cellOf({ lag: { kind: "constant", k: 4 }, groupSize: 4 })];
  expect(differencesOf(exact, exact)).toBe("");
  expect(differencesOf(exact, lagging)).toBe(
    'rollout.groupSize (8 and 4), rollout.lag.kind (none and "constant"), rollout.lag.k (none and 4)',
  );
  expect(differencesOf(lagging, exact)).toBe(
    'rollout.groupSize (4 and 8), rollout.lag.kind ("constant" and none), rollout.lag.k (4 and none)',
  );
});
