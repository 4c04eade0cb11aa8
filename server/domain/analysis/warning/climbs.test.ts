import { describe, expect, it } from "vitest";
import type { Curve } from "#packages/statistics";
import type { Hindsight } from "#packages/detector";
import { measureClimbs, reportClimbs, summariseClimbs, type ClimbRun } from "./climbs.ts";
import { findLeaving } from "../stability/hazards.ts";
import { climbSignals, signalsOf } from "./signals.ts";

const length = 60;
/** Makes a curve with one value per iteration from 1 on, with noise of ±0.1. */
const curve = (value: (t: number) => number, numValues = length): Curve => ({
  iterations: Int32Array.from({ length: numValues }, (_, i) => i + 1),
  values: Float64Array.from({ length: numValues }, (_, i) => value(i + 1)),
});
const wave = (t: number) => 1 + 0.1 * Math.sin(t);
const [mismatch, , , gradientNorm, lostSample] = climbSignals;

describe("a signal leaves its range", () => {
  const norm = (value: (t: number) => number, until = Infinity) =>
    findLeaving(
      curve((t) => wave(t) * value(t)),
      gradientNorm,
      { until },
    );

  it.each([
    ["at the first of three values above", (t: number) => (t >= 30 ? 3 : 1), { kind: "left", iteration: 30 }],
    ["not by a spike of two", (t: number) => (t === 30 || t === 31 ? 50 : 1), { kind: "never" }],
    ["not by less than matters", (t: number) => (t >= 30 ? 1.6 : 1), { kind: "never" }],
    ["not by a fall", (t: number) => (t >= 30 ? 0.01 : 1), { kind: "never" }],
    ["by numbers that overflow", (t: number) => (t >= 30 ? NaN : 1), { kind: "left", iteration: 30 }],
  ])("%s", (_, value, leaving) => {
    expect(norm(value)).toEqual(leaving);
  });

  it("from a range made of what came before the fall, and of five values at least", () => {
    const climbing = (t: number) => (t >= 7 ? 4 : 1);
    expect(norm(climbing, 7)).toEqual({ kind: "left", iteration: 7 });
    expect(norm(climbing, 5)).toEqual({ kind: "unknown" });
  });

  it("where the sampler lags, only once the lag is full", () => {
    const k3 = curve((t) => 1e-3 * wave(t) * Math.min(t, 16) ** 2);
    const measure = (lag: number) =>
      measureClimbs({
        runId: "a",
        setting: "",
        label: healthy,
        lag,
        curves: new Map([["mismatch/k3", k3]]),
      })?.leavings.get("mismatch");
    expect(measure(0)?.kind).toBe("left");
    expect(measure(16)?.kind).toBe("never");
  });

  it("in both directions, if its falls count", () => {
    const [revisits, , distinct] = signalsOf.behaviour;
    const leave = (signal: typeof revisits, value: (t: number) => number) =>
      signal && findLeaving(curve(value), signal);
    expect(leave(revisits, (t) => (t >= 30 ? 0.8 : 0.4))).toEqual({ kind: "left", iteration: 30 });
    expect(leave(distinct, (t) => (t >= 30 ? 0.1 : 0.5))).toEqual({ kind: "left", iteration: 30 });
    expect(leave(distinct, (t) => (t >= 30 ? 0.4 : 0.5))).toEqual({ kind: "never" });
  });

  it("counts nothing before training", () => {
    const { iterations, values } = curve((t) => (t === 1 ? 1e6 : wave(t)), 20);
    const shifted = { iterations: iterations.map((t) => t - 1), values };
    expect(findLeaving(shifted, gradientNorm)).toEqual({ kind: "never" });
  });

  it("reads an effective sample share as what is lost of it", () => {
    const share = (after: number) =>
      findLeaving(
        curve((t) => (t >= 20 ? after : 0.999)),
        lostSample,
      );
    expect(share(0.9)).toEqual({ kind: "left", iteration: 20 });
    expect(share(0.98)).toEqual({ kind: "never" });
  });

  it("reads k3 by its factor wherever it began", () => {
    const k3 = (start: number, factor: number) =>
      findLeaving(
        curve((t) => start * wave(t) * (t >= 40 ? factor : 1)),
        mismatch,
      );
    expect([k3(1e-3, 4), k3(1e-1, 4)]).toEqual([
      { kind: "left", iteration: 40 },
      { kind: "left", iteration: 40 },
    ]);
    expect(k3(1e-3, 2)).toEqual({ kind: "never" });
    // A large factor of an almost zero value is not a rise.
    expect(k3(1e-8, 100)).toEqual({ kind: "never" });
  });
});

const healthy: Hindsight["label"] = { kind: "healthy", tags: [] };
const fallen = (onsetStep: number, collapseStep: number): Hindsight["label"] => ({
  kind: "collapseTerminal",
  onsetStep,
  collapseStep,
  tags: [],
});

/** Makes a run whose gradient norm, k3 and normalised ESS each leave their range at a given iteration. */
function makeRun(
  runId: string,
  label: Hindsight["label"],
  [k3At, normAt, shareAt]: readonly [number, number, number],
): ClimbRun {
  const curves = new Map([
    ["mismatch/k3", curve((t) => 1e-3 * wave(t) * (t >= k3At ? 8 : 1))],
    ["update/gradientNorm", curve((t) => wave(t) * (t >= normAt ? 5 : 1))],
    ["mismatch/essRow", curve((t) => (t >= shareAt ? 0.4 : 0.99))],
  ]);
  return { runId, setting: label === healthy || normAt < 40 ? "climbs" : "falls at once", label, lag: 0, curves };
}

describe("what climbs first", () => {
  const runs = [
    makeRun("a", fallen(30, 34), [20, 24, 28]),
    makeRun("b", fallen(30, 34), [22, 26, 29]),
    makeRun("c", fallen(30, 34), [24, 28, 99]),
    makeRun("d", healthy, [99, 50, 99]),
    makeRun("e", fallen(20, 22), [99, 45, 99]),
  ].flatMap((run) => measureClimbs(run) ?? []);
  const { all, settings } = reportClimbs(runs);
  const signalOf = (setting: string, key: string) =>
    (setting === "all" ? all : settings.find((one) => one.setting === setting))?.signals.find(
      ({ signal }) => signal === key,
    );

  it("counts runs by setting in which a signal left before success fell", () => {
    expect(settings.map(({ setting, collapsed: { k, n } }) => [setting, k, n])).toEqual([
      ["climbs", 3, 4],
      ["falls at once", 1, 1],
    ]);
    expect(signalOf("climbs", "mismatch")?.before).toMatchObject({ k: 3, n: 3 });
    expect(signalOf("climbs", "lostSample")?.before).toMatchObject({ k: 2, n: 3 });
    expect(signalOf("climbs", "all")?.before).toMatchObject({ k: 2, n: 3 });
    expect(signalOf("falls at once", "gradientNorm")?.before).toMatchObject({ k: 0, n: 1 });
    expect(signalOf("climbs", "klReference")).toBeUndefined();
  });

  it("gives the median lead to half of the success gone, negative where the signal came later", () => {
    expect(signalOf("climbs", "mismatch")?.lead).toMatchObject({
      median: 12,
      numRuns: 3,
      interval: { low: 10, high: 14 },
    });
    expect(signalOf("climbs", "all")?.lead).toMatchObject({ median: 5.5, numRuns: 2 });
    expect(signalOf("falls at once", "gradientNorm")?.lead).toMatchObject({
      median: -23,
      numRuns: 1,
      interval: { low: NaN },
    });
    expect(signalOf("falls at once", "mismatch")?.lead).toMatchObject({ median: NaN, numRuns: 0 });
  });

  it("says of runs that did not collapse how often a signal left too", () => {
    expect(signalOf("climbs", "gradientNorm")?.control).toMatchObject({ k: 1, n: 1 });
    expect(signalOf("climbs", "mismatch")?.control).toMatchObject({ k: 0, n: 1 });
  });

  it("takes all settings together, and names the runs to look at", () => {
    expect(all.collapsed).toMatchObject({ k: 4, n: 5 });
    expect(signalOf("all", "gradientNorm")?.before).toMatchObject({ k: 3, n: 4 });
    expect(settings[0]?.examples).toEqual(["a", "b", "c"]);
  });

  it("counts what is between a dip and a collapse as no collapse, and broken numbers as a fall", () => {
    const at = [20, 24, 28] as const;
    expect(measureClimbs(makeRun("f", { kind: "notJudged", tags: [] }, at))).toBeUndefined();
    const unclear = measureClimbs(makeRun("f", { kind: "ambiguous", tags: [] }, at));
    expect(unclear).toMatchObject({ isUnclear: true });
    expect(unclear && reportClimbs([unclear]).all).toMatchObject({ collapsed: { k: 0, n: 1 }, numUnclear: 1 });
    const broken = makeRun("g", { kind: "nonFinite", collapseStep: 30, onsetStep: 30, tags: [] }, at);
    expect(measureClimbs(broken)?.fall).toEqual({ onset: 30, half: 30 });
  });

  it("names the best signal in a sentence, and if too few runs tell it apart", () => {
    expect(summariseClimbs({ all })).toMatch(
      /^.* left its normal range before \d of 4 collapses, .* iterations early in the median, and in \d of 1 run without one; so few runs do not tell these shares apart\.$/,
    );
    expect(summariseClimbs(reportClimbs([]))).toBe("");
  });

  it("names no run and no signal where success fell before any range was known", () => {
    const early = measureClimbs(makeRun("i", fallen(3, 4), [20, 24, 28])) ?? [];
    const report = reportClimbs([early, measureClimbs(makeRun("d", healthy, [99, 50, 99])) ?? []].flat());
    expect(report.all.examples).toEqual([]);
    expect(summariseClimbs(report)).toBe(
      "No signal had enough values for a normal range before success fell (1 collapsed run).",
    );
  });

  it("does not take what leaves with success for what leaves before it", () => {
    const together = measureClimbs(makeRun("h", fallen(30, 34), [30, 30, 29])) ?? [];
    const { signals } = reportClimbs([together].flat()).all;
    expect(signals.map(({ before: { k } }) => k)).toEqual([0, 0, 1, 0]);
  });
});
