import { expect, it } from "vitest";
import { estimateRunSeconds } from "#server/domain/plan/sweep/estimate.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand.ts";
import { checkPlan } from "#server/domain/plan/sweep/plan.ts";
import { calibrate } from "./calibrate.ts";

const environments = [{ id: "sokoban" }, { id: "webshop" }];
const { cells } = expandPlan(checkPlan({ name: "a", methods: ["grpo", "gspo"], environments, seeds: [0] }));

it("says how long runs of each kind took, beside what was estimated", () => {
  const measured = cells.map(({ spec }, i) => {
    const seconds = estimateRunSeconds(spec);
    return { spec, seconds: spec.environment.id === "sokoban" ? [seconds * (i + 1), seconds * (i + 1.5)] : [] };
  });
  const [one, ...more] = calibrate(measured);
  expect(more).toEqual([]);
  const factors = cells.flatMap(({ spec }, i) => (spec.environment.id === "sokoban" ? [i + 1, i + 1.5] : []));
  expect(one).toMatchObject({ environment: "sokoban", size: "nano", numRuns: 4 });
  expect(one?.median).toBeCloseTo(((factors[1] ?? 0) + (factors[2] ?? 0)) / 2);
  expect(one?.low).toBeGreaterThanOrEqual(factors[0] ?? 0);
  expect(one?.high).toBeLessThanOrEqual(factors[3] ?? 0);
});

it("keeps the runs of a pretrained model apart, and leaves those out whose size is not known", () => {
  const [cell] = cells;
  if (!cell) throw new Error("no cell");
  const pretrained = "/models/one";
  const spec = { ...cell.spec, policy: { ...cell.spec.policy, pretrained } };
  const models = { [pretrained]: 1e8 };
  const measured = [{ spec, seconds: [2 * estimateRunSeconds(spec, models)] }];
  expect(calibrate(measured, models)).toEqual([expect.objectContaining({ size: pretrained, numRuns: 1, median: 2 })]);
  expect(calibrate(measured)).toEqual([]);
});

it("leaves other trainers' runs out", () => {
  const trainer = { name: "verl" } as never;
  expect(calibrate(cells.map(({ spec }) => ({ spec: { ...spec, trainer }, seconds: [1] })))).toEqual([]);
});
