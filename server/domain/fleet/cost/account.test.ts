import { expect, it } from "vitest";
import { estimateRunSeconds } from "#server/domain/plan/sweep/estimate/estimate.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { checkPlan } from "#server/domain/plan/sweep/plan.ts";
import { accountFor, type AttemptUse, calibrate } from "./account.ts";

const hour = 3_600_000;
const attempt: AttemptUse = {
  runId: "a",
  number: 1,
  slots: 2,
  pricePerSlotHour: 3,
  queuedMs: hour / 2,
  heldMs: hour,
  firstIteration: 1,
  lastIteration: 10,
  collapsedAt: null,
  isFailed: false,
};

it("counts slots by the hour, with waiting apart and without a charge", () => {
  expect(accountFor([attempt])).toEqual({
    numRuns: 1,
    numCollapsed: 0,
    used: { slotHours: 2, cost: 6 },
    afterCollapse: { slotHours: 0, cost: 0 },
    again: { slotHours: 0, cost: 0 },
    queuedHours: 1,
  });
});

it("counts what was trained after a collapse", () => {
  const { numCollapsed, afterCollapse } = accountFor([{ ...attempt, collapsedAt: 4 }]);
  expect(numCollapsed).toBe(1);
  expect(afterCollapse).toEqual({ slotHours: 1.2, cost: expect.closeTo(3.6, 12) as number });
});

it("counts what a later attempt did again once, also behind a collapse", () => {
  // The second attempt resumes from the checkpoint at iteration 6: iterations 7 to 10 were repeated, and iterations 5
  // and 6 came after the collapse.
  const second = { ...attempt, number: 2, firstIteration: 7, lastIteration: 16 };
  const { used, again, afterCollapse, numRuns } = accountFor(
    [second, attempt].map((one) => ({ ...one, collapsedAt: 4 })),
  );
  expect(numRuns).toBe(1);
  expect(used.slotHours).toBe(4);
  expect(again.slotHours).toBeCloseTo(0.8, 12);
  expect(afterCollapse.slotHours).toBeCloseTo(0.4 + 2, 12);
});

it("counts an attempt without an iteration as done again where one followed, and a failed run as lost whole", () => {
  const silent = { ...attempt, lastIteration: null };
  expect(accountFor([silent]).again.slotHours).toBe(0);
  expect(accountFor([silent, { ...attempt, number: 2 }]).again.slotHours).toBe(2);
  const failed = accountFor([{ ...attempt, isFailed: true, collapsedAt: 4 }]);
  expect([failed.again.slotHours, failed.afterCollapse.slotHours]).toEqual([2, 0]);
});

it("knows no cost where a node that was used has no price", () => {
  const other = { ...attempt, runId: "b", pricePerSlotHour: null };
  expect(accountFor([attempt, other]).used).toEqual({ slotHours: 4, cost: null });
  expect(accountFor([attempt, { ...other, heldMs: 0 }]).used).toEqual({ slotHours: 2, cost: 6 });
});

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
