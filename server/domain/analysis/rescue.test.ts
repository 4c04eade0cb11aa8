import { describe, expect, it } from "vitest";
import { twoLevelInterval } from "#packages/statistics";
import { methodOf } from "#trainer/spec/method.ts";
import { type CellSpec, RunSpec } from "#trainer/spec/run.ts";
import { type ArmReport, citePrecedents, nameArm, nothing, reportRescue, type RescueRun } from "./rescue.ts";

type Given = Partial<RescueRun> & Pick<RescueRun, "arm" | "continuation" | "collapsed">;
const run = (given: Given): RescueRun => {
  const { origin = "a", iteration = 18, arm, continuation, collapsed } = given;
  const runId = `${origin} ${iteration} ${arm} ${continuation}`;
  const rest = { time: collapsed ? 10 : 30, success: collapsed ? 0.3 : 0.8, lead: 40 - iteration, group: "GRPO" };
  const took = { numIterations: 30, numWhole: 48, ms: 60_000 };
  return { runId, ...rest, ...took, ...given, origin, iteration };
};
/** Makes branches, of which the first `numCollapsed` collapse. */
const branches = (arm: string, numCollapsed: number, given: Partial<RescueRun> = {}): RescueRun[] =>
  Array.from({ length: 6 }, (_, i) => run({ ...given, arm, continuation: i, collapsed: i < numCollapsed }));
const armOf = (reports: readonly ArmReport[], arm: string) => reports.find((one) => one.arm === arm);

describe("a rescue experiment", () => {
  it("compares every arm with unchanged branches of equal continuation", () => {
    const { iterations, overall } = reportRescue([
      ...branches("mask", 0),
      ...branches(nothing, 6),
      ...branches("kl", 5),
    ]);
    expect(overall.map(({ arm }) => arm)).toEqual([nothing, "mask", "kl"]);
    const mask = armOf(overall, "mask");
    expect(mask).toMatchObject({ numRuns: 6, numJudged: 6, numCollapsed: 0, mcNemar: 0.03125 });
    // The upper bound of the Wilson interval of 0 of 6 is z²/(n + z²).
    expect(mask?.collapsed).toEqual({ low: 0, high: expect.closeTo(3.8414588 / 9.8414588, 6) });
    expect(mask?.successDifference).toMatchObject({ difference: expect.closeTo(0.5, 12), numPairs: 6 });
    expect(mask?.timeDifference.difference).toBeCloseTo(20, 12);
    // There is a single discordant pair.
    expect(armOf(overall, "kl")?.mcNemar).toBe(1);
    expect(armOf(overall, "kl")?.successDifference.difference).toBeCloseTo(0.5 / 6, 12);
    expect(armOf(overall, nothing)).toMatchObject({ numCollapsed: 6, mcNemar: null, p: NaN, pHolm: NaN });
    expect(iterations).toEqual([{ iteration: 18, arms: overall }]);
  });

  it("pairs by origin, iteration and continuation alone", () => {
    const alone = [run({ arm: "mask", continuation: 7, collapsed: false }), ...branches(nothing, 3)];
    const mask = armOf(reportRescue(alone).overall, "mask");
    expect(mask).toMatchObject({ numRuns: 1, numCollapsed: 0, successDifference: { numPairs: 0 } });
    expect(mask?.successDifference.difference).toBeNaN();
  });

  it("does not count what was not judged, and needs six pairs for McNemar's test", () => {
    const few = [...branches("mask", 0).slice(1), ...branches(nothing, 6)];
    expect(armOf(reportRescue(few).overall, "mask")?.mcNemar).toBeNull();
    const unjudged = branches("mask", 0).map((one) => ({ ...one, collapsed: null, success: NaN }));
    const report = armOf(reportRescue([...unjudged, ...branches(nothing, 6)]).overall, "mask");
    expect(report).toMatchObject({ numRuns: 6, numJudged: 0, success: NaN, p: NaN });
  });

  it("gives origins the same weight, however many continuations they have", () => {
    const other = { origin: "b", iteration: 6 };
    const runs = [
      ...branches(nothing, 6),
      ...branches("mask", 0),
      ...branches(nothing, 6, other),
      ...branches("mask", 6, other).slice(0, 2),
    ];
    expect(armOf(reportRescue(runs).overall, "mask")?.successDifference).toMatchObject({
      difference: expect.closeTo(0.25, 12),
      numPairs: 8,
    });
  });

  it("corrects p-values by Holm's method over the arms", () => {
    const noisy = (arm: string, gain: number): RescueRun[] =>
      branches(arm, 0).map((one, i) => ({ ...one, success: 0.3 + gain + ([0, 0.02, -0.02, 0.01, -0.01, 0][i] ?? 0) }));
    const { overall } = reportRescue([...branches(nothing, 6), ...noisy("strong", 0.4), ...noisy("weak", 0.01)]);
    const [strong, weak] = [armOf(overall, "strong"), armOf(overall, "weak")];
    expect(strong?.pHolm).toBeCloseTo(2 * (strong?.p ?? NaN), 12);
    expect(weak?.pHolm).toBeCloseTo(weak?.p ?? NaN, 12);
  });

  it("names the latest iteration at which an arm still saves half of the branches", () => {
    const at = (arm: string, numbers: readonly number[]): RescueRun[] =>
      numbers.flatMap((num, i) => branches(arm, num, { iteration: 10 * (i + 1) }));
    const { latest } = reportRescue([
      ...at(nothing, [6, 6, 6]),
      ...at("early", [0, 6, 6]),
      ...at("late", [1, 0, 2]),
      ...at("never", [6, 5, 4]),
      // The fractions saved at the first two iterations, 2/6 and 5/6, are pooled to 7/12.
      ...at("uneven", [4, 1, 6]),
    ]);
    expect(latest).toEqual([
      { arm: "early", at: 10, interval: { low: 10, high: 10 } },
      { arm: "late", at: 30, interval: { low: 20, high: 30 } },
      { arm: "never", at: null, interval: { low: null, high: null } },
      { arm: "uneven", at: 20, interval: { low: null, high: 20 } },
    ]);
  });

  it("compares several origins by iterations before the alarm, with one unit per origin in its test", () => {
    const of = (arm: string, origin: string, iteration: number, success: number): RescueRun[] =>
      branches(arm, 0, { origin, iteration, lead: iteration === 5 ? 10 : 0 }).map((one) => ({ ...one, success }));
    const runs = ["a", "b", "c"].flatMap((origin, i) =>
      [5, 15].flatMap((iteration) => [
        ...of(nothing, origin, iteration, 0.3),
        ...of("mask", origin, iteration, 0.5 + 0.1 * i + (iteration === 5 ? 0.1 : 0)),
      ]),
    );
    const report = reportRescue(runs);
    expect(report.iterations).toEqual([]);
    expect(report.leads.map(({ lead }) => lead)).toEqual([10, 0]);
    expect(report.origins.map(({ origin }) => origin)).toEqual(["a", "b", "c"]);
    const differenceOf = (arms: readonly ArmReport[]) => armOf(arms, "mask")?.successDifference.difference;
    expect(differenceOf(report.leads[0]?.arms ?? [])).toBeCloseTo(0.4, 12);
    expect(differenceOf(report.leads[1]?.arms ?? [])).toBeCloseTo(0.3, 12);
    expect(differenceOf(report.origins[2]?.arms ?? [])).toBeCloseTo(0.45, 12);
    // The means of the origins are 0.25, 0.35, 0.45; with two degrees of freedom, p = 1 − t / √(t² + 2).
    const t = 0.35 / (0.1 / Math.sqrt(3));
    expect(armOf(report.overall, "mask")?.p).toBeCloseTo(1 - t / Math.sqrt(t * t + 2), 10);
    expect(report.latest).toEqual([{ arm: "mask", at: 0, interval: { low: 0, high: 0 } }]);
    expect(report.groups).toEqual([]);
  });

  it("cites the change that kept most branches of similar runs", () => {
    const of = (arm: string, numJudged: number, numKept: number) => ({ sweepId: "s", arm, numJudged, numKept });
    expect(citePrecedents([])).toBe(
      "No change can be recommended yet, because too few branches of similar runs have tried one.",
    );
    expect(citePrecedents([of("sequence mask", 2, 2), of(nothing, 5, 0)])).toBe(
      "No change can be recommended yet, because too few branches of similar runs have tried one.",
    );
    const known = [
      of("Learning rate ÷ 5", 3, 3),
      of("Learning rate ÷ 5", 2, 1),
      of("sequence mask", 5, 2),
      of(nothing, 5, 1),
    ];
    expect(citePrecedents(known)).toBe(
      "In similar runs that were branched at the alarm, learning rate ÷ 5 avoided a collapse in 4 of 5 branches (95 % CI: 38 to 96 %); without a change, 1 of 5 branches avoided a collapse.",
    );
  });

  it("names changes relative to the origin's settings", () => {
    const origin = RunSpec.parse({ v: 1, seed: 0, environment: { id: "sokoban" }, method: methodOf("grpo") });
    const { v: _, seed: __, ...cell } = origin;
    const named = (spec: CellSpec, method = "GRPO") => nameArm(spec, { method, origin, originMethod: "GRPO" });
    expect(named(cell)).toBe(nothing);
    expect(named({ ...cell, optimizer: { ...cell.optimizer, learningRate: 6e-5 } })).toBe("Learning rate ÷ 5");
    expect(named({ ...cell, update: { ...cell.update, klCoef: 0.05 } })).toBe("KL coefficient × 5 (0.05 if it was 0)");
    expect(named({ ...cell, update: { ...cell.update, klCoef: 0.02 } })).toBe("KL coefficient × 2");
    expect(named({ ...cell, method: methodOf("gspo") }, "GRPO, GSPO's ratio")).toBe("GSPO's ratio");
    expect(named({ ...cell, method: methodOf("gspo") }, "GSPO")).toBe("GSPO");
    expect(named({ ...cell, budget: { iterations: 9, split: null } })).toBe(nothing);
  });
});

it("the two-level bootstrap has the interval of 400,000 draws by another program", () => {
  const groups = [
    [0.5, 0.4, 0.6, 0.45, 0.55],
    [0.1, 0.3, 0.2, 0.15, 0.25],
    [-0.1, 0, 0.1, 0.05, -0.05],
    [0.7, 0.9, 0.8, 0.75, 0.85],
  ];
  const { low, high } = twoLevelInterval(groups);
  expect(low).toBeCloseTo(0.0875, 1.7);
  expect(high).toBeCloseTo(0.6675, 1.7);
});
