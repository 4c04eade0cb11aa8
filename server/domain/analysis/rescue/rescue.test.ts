import { describe, expect, it } from "vitest";
import { methodOf } from "#trainer/spec/method.ts";
import { type CellSpec, RunSpec } from "#trainer/spec/run.ts";
import { describeLatest } from "./latestSaving.ts";
import { type ArmReport, countAlone, reportRescue, type RescueRun } from "./rescue.ts";
import { nameArm, nothing } from "./rescueArms.ts";

type Given = Partial<RescueRun> & Pick<RescueRun, "arm" | "continuation" | "outcome">;
const run = (given: Given): RescueRun => {
  const { origin = "a", iteration = 18, arm, continuation, outcome } = given;
  const runId = `${origin} ${iteration} ${arm} ${continuation}`;
  const hasCollapsed = outcome === "collapsed" || outcome === "before";
  const hindsight = hasCollapsed ? "collapsed" : outcome === "kept" ? "healthy" : outcome;
  const rest = { time: hasCollapsed ? 10 : 30, success: hasCollapsed ? 0.3 : 0.8, lead: 40 - iteration, group: "GRPO" };
  const took = { numIterations: 30, numWhole: 48, ms: 60_000 };
  return { runId, hindsight, ...rest, ...took, ...given, origin, iteration };
};
/** Makes branches with continuations 1 to 6, of which the first `numCollapsed` collapse. */
const branches = (arm: string, numCollapsed: number, given: Partial<RescueRun> = {}): RescueRun[] =>
  Array.from({ length: 6 }, (_, i) =>
    run({ ...given, arm, continuation: i + 1, outcome: i < numCollapsed ? "collapsed" : "kept" }),
  );
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
    expect(mask).toMatchObject({ numRuns: 6, numJudged: 6, numCollapsed: 0 });
    // Two of the 924 tables of 12 branches are as extreme.
    expect(mask?.collapseDifference.exactP).toBeCloseTo(2 / 924, 12);
    // The upper bound of the Wilson interval of 0 of 6 is z²/(n + z²).
    expect(mask?.collapsed).toEqual({ low: 0, high: expect.closeTo(3.8414588 / 9.8414588, 6) });
    expect(mask?.successDifference).toMatchObject({ difference: expect.closeTo(0.5, 12), numPairs: 6 });
    expect(mask?.timeDifference.difference).toBeCloseTo(20, 12);
    expect(armOf(overall, "kl")?.collapseDifference.exactP).toBeCloseTo(1, 12);
    expect(armOf(overall, "kl")?.successDifference.difference).toBeCloseTo(0.5 / 6, 12);
    expect(armOf(overall, nothing)).toMatchObject({ numCollapsed: 6, pHolm: NaN });
    expect(iterations).toEqual([{ iteration: 18, arms: overall }]);
  });

  it("takes configurations instead of origins as units, and none in place of a single one", () => {
    // Three origins of one configuration gain 10, 20 and 30 points, one origin of another gains 60.
    const gains = { a: 0.1, b: 0.2, c: 0.3, d: 0.6 };
    const made = (withConfigurations: boolean, names = Object.keys(gains)) =>
      names.flatMap((origin) => {
        const given = { origin, ...(withConfigurations && { configuration: origin === "d" ? "SAPO" : "GRPO" }) };
        const gain = gains[origin as keyof typeof gains];
        return [
          ...branches("mask", 0, { ...given, success: 0.2 + gain }),
          ...branches(nothing, 6, { ...given, success: 0.2 }),
        ];
      });
    const effectOf = (runs: RescueRun[]) => armOf(reportRescue(runs).overall, "mask")?.successDifference;
    expect(effectOf(made(false))).toMatchObject({ difference: expect.closeTo(0.3, 12), numUnits: 4 });
    // Means .2 and .6: their mean is .4, its standard error .2, and t(.975; 1) is 12.7.
    expect(effectOf(made(true))).toMatchObject({
      difference: expect.closeTo(0.4, 12),
      error: expect.closeTo(0.2, 12),
      numUnits: 2,
      interval: { low: -1, high: 1 },
    });
    const single = reportRescue(made(true, ["a", "b", "c"]));
    expect(armOf(single.overall, "mask")).toMatchObject({
      successDifference: { difference: expect.closeTo(0.2, 12), interval: { low: NaN, high: NaN }, p: NaN },
      pHolm: NaN,
    });
    expect([single.cost, reportRescue(made(false)).cost === null]).toEqual([null, false]);
  });

  it("pairs by origin, iteration and continuation alone", () => {
    const alone = [run({ arm: "mask", continuation: 7, outcome: "kept" }), ...branches(nothing, 3)];
    const mask = armOf(reportRescue(alone).overall, "mask");
    expect(mask).toMatchObject({ numRuns: 1, numCollapsed: 0, successDifference: { numPairs: 0 } });
    expect(mask?.successDifference.difference).toBeNaN();
  });

  it("counts unclear branches as not collapsed, and those that were not judged not at all", () => {
    const outcomes = ["collapsed", "unclear", "unclear", "kept", "not judged", "not judged"] as const;
    const mixed = branches("mask", 0).map((one, i) => ({ ...one, outcome: outcomes[i] ?? "kept" }));
    const report = reportRescue([...mixed, ...branches(nothing, 6)]);
    const mask = armOf(report.overall, "mask");
    expect(mask).toMatchObject({ numRuns: 6, numJudged: 4, numCollapsed: 1, numUnclear: 2, numBefore: 0 });
    expect(mask?.collapseDifference).toMatchObject({ difference: -0.75, numPairs: 4 });
    const unmeasured = mixed.map((one) => ({ ...one, outcome: "not judged" as const, success: NaN }));
    const none = armOf(reportRescue([...unmeasured, ...branches(nothing, 6)]).overall, "mask");
    expect(none).toMatchObject({ numRuns: 6, numJudged: 0, success: NaN, pHolm: NaN });
  });

  it("gives no interval and no p while branches are still being judged", () => {
    const noisy = branches("mask", 0).map((one, i) => ({ ...one, success: 0.8 + 0.01 * (i % 3) }));
    const [first, ...others] = noisy;
    const known = reportRescue([...noisy, ...branches(nothing, 6)]);
    expect(armOf(known.overall, "mask")?.pHolm).toBeLessThan(0.001);
    expect(known.notes).toEqual([]);
    if (!first) throw new Error("no branch");
    const open = reportRescue([{ ...first, outcome: "not judged yet" }, ...others, ...branches(nothing, 6)]);
    const mask = armOf(open.overall, "mask");
    const unknown = { low: NaN, high: NaN };
    expect(mask).toMatchObject({ pHolm: NaN, collapsed: unknown, numJudged: 5 });
    expect(mask?.successDifference).toMatchObject({ interval: unknown, p: NaN, numPairs: 6 });
    expect(mask?.collapseDifference).toMatchObject({ interval: unknown, p: NaN, exactP: NaN });
    expect(mask?.timeDifference).toMatchObject({ interval: unknown, p: NaN });
    expect([open.latest, open.cost]).toEqual([[], null]);
    expect(open.notes).toEqual([
      "1 of 12 branches is still being judged. Until then there are no intervals and no tests.",
    ]);
  });

  it("counts collapses after the change only", () => {
    // The run had collapsed by iteration 28. Of those that began at 18, two branches had fallen by then.
    const late = (arm: string) =>
      branches(arm, 6, { iteration: 28 }).map((one) => ({ ...one, outcome: "before" as const }));
    const early = branches("mask", 3).map((one, i) => ({ ...one, outcome: i < 2 ? ("before" as const) : one.outcome }));
    const report = reportRescue([...early, ...branches(nothing, 6), ...late("mask"), ...late(nothing)]);
    expect(armOf(report.overall, "mask")).toMatchObject({ numRuns: 12, numJudged: 4, numCollapsed: 1, numBefore: 8 });
    expect(armOf(report.overall, nothing)).toMatchObject({ numRuns: 12, numJudged: 6, numCollapsed: 6, numBefore: 6 });
    expect(armOf(report.overall, "mask")?.collapseDifference).toMatchObject({ difference: -0.75, numPairs: 4 });
    expect(report.latest).toEqual([
      { arm: "mask", isNothing: false, at: 18, interval: { low: null, high: 18 } },
      { arm: nothing, isNothing: true, at: null, interval: { low: null, high: null } },
    ]);
    expect(report.notes).toEqual([
      "Collapses are counted after the change only: 14 branches had collapsed before it, in the branch or in the recorded run, and are left out of the counts.",
    ]);
  });

  it("leaves out the recorded run, which is continuation 0 without a change", () => {
    const zero = (arm: string) => run({ arm, continuation: 0, outcome: "collapsed" });
    const rest = [...branches(nothing, 2), ...branches("mask", 1)];
    const report = reportRescue([zero(nothing), zero("mask"), ...rest]);
    expect(report.overall).toEqual(reportRescue(rest).overall);
    expect(report).toMatchObject({ recorded: { numRuns: 1, numCollapsed: 1 }, numUnpaired: 1 });
    expect(report.notes).toEqual([
      "Unchanged, continuation 0 repeats the recorded run, which was chosen because it collapsed. It is not compared (1 of 1 collapsed), nor is continuation 0 of the changes (1 branch).",
    ]);
    expect(report.cost).toEqual(reportRescue(rest).cost);
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
    expect(strong?.pHolm).toBeCloseTo(2 * (strong?.successDifference.p ?? NaN), 12);
    expect(weak?.pHolm).toBeCloseTo(weak?.successDifference.p ?? NaN, 12);
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
    expect(latest).toMatchObject([
      { arm: "early", at: 10, interval: { low: 10, high: 10 } },
      { arm: "late", at: 30, interval: { low: 20, high: 30 } },
      // Wilson's interval of 2 of 6 saved reaches one half.
      { arm: "never", at: null, interval: { low: null, high: 30 } },
      { arm: "uneven", at: 20, interval: { low: null, high: 20 } },
      { arm: nothing, isNothing: true, at: null },
    ]);
    expect(latest.map((one) => describeLatest(one, "after"))).toMatchObject([
      "Early: after 10 [after 10, after 10]",
      "Late: after 30 [after 20, after 30]",
      "Never: at none of the tried times [never, after 30]",
      "Uneven: after 20 [never, after 20]",
      expect.stringMatching(/^Unchanged, for comparison: at none of the tried times \[never, /),
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
    const { p, interval } = armOf(report.overall, "mask")?.successDifference ?? { p: NaN, interval: { low: NaN } };
    expect(p).toBeCloseTo(1 - t / Math.sqrt(t * t + 2), 10);
    expect(interval.low).toBeCloseTo(0.35 - (4.302653 * 0.1) / Math.sqrt(3), 6);
    // Three runs that are all saved count as three observations, too few for an interval above one half.
    expect(report.latest.map((one) => describeLatest(one, "before"))).toEqual([
      "Mask: at the alarm [never, at the alarm]",
      "Unchanged, for comparison: at the alarm [never, at the alarm]",
    ]);
    expect(report.groups).toEqual([]);
    // A later alarm of one run, as of newer rules, gives its branches times of their own: no comparison over origins.
    const moved = runs.map((one) => (one.origin === "a" ? { ...one, lead: (one.lead ?? 0) + 3 } : one));
    const others = reportRescue(runs.filter(({ origin }) => origin !== "a"));
    const { leads, latest, overall, numAlone } = reportRescue(moved);
    expect([leads, latest]).toEqual([others.leads, others.latest]);
    expect(overall).toEqual(report.overall);
    expect([report.numAlone, numAlone]).toEqual([0, 24]);
    expect(countAlone({ leads, runs: moved }, "mask")).toBe(12);
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
    const stale = { ...cell, rollout: { ...cell.rollout, lag: { kind: "constant", k: 8 } as const } };
    const exact = { ...cell.rollout, lag: { kind: "constant", k: 0 } as const, samplerPrecision: "float32" as const };
    expect(nameArm({ ...stale, rollout: exact }, { method: "GRPO", origin: { ...origin, ...stale } })).toBe(
      "fresh sampler, float sampler",
    );
  });
});
