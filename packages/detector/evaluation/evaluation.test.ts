import { describe, expect, it } from "vitest";
import { baselines } from "./baselines.ts";
import { cohensKappa } from "../testing/cohensKappa.ts";
import { findEpisodes, judgeRun } from "./judge.ts";
import { summarise } from "./summarise.ts";

const alarmsAt = (length: number, ...ranges: readonly (readonly [number, number])[]) =>
  Array.from({ length }, (_, t) => ranges.some(([from, to]) => t >= from && t < to));
const collapse = { kind: "collapseTerminal", collapseStep: 120, onsetStep: 110, tags: [] } as const;

describe("episodes", () => {
  it("begin at rising edges, gaps up to ten merged, none before the warm-up is over", () => {
    expect(findEpisodes(alarmsAt(200, [5, 25], [60, 62], [71, 73], [90, 95]))).toEqual([20, 60, 90]);
  });
});

describe("a run is judged", () => {
  it("by an alarm that begins in the window before its collapse", () => {
    expect(judgeRun(alarmsAt(200, [100, 140]), collapse)).toEqual({
      hasCollapsed: true,
      isDetected: true,
      falseAlarms: 0,
      healthySteps: 30,
      lead: 20,
      delay: -10,
    });
  });

  it("not by one that has been on since long before, or comes after", () => {
    expect(judgeRun(alarmsAt(200, [30, 200]), collapse)).toMatchObject({ isDetected: false, falseAlarms: 1 });
    expect(judgeRun(alarmsAt(200, [140, 150]), collapse)).toMatchObject({ isDetected: false, falseAlarms: 0 });
  });

  it("again once it is well", () => {
    const healed = { ...collapse, kind: "collapseRecovered", recoveredStep: 150 } as const;
    const judged = judgeRun(alarmsAt(200, [115, 150], [180, 182]), healed);
    expect(judged).toMatchObject({ isDetected: true, falseAlarms: 1, healthySteps: 65 });
  });

  it("with every alarm false when nothing collapsed", () => {
    const judged = judgeRun(alarmsAt(200, [50, 51], [100, 101]), { kind: "dip", tags: [] });
    expect(judged).toEqual({ hasCollapsed: false, isDetected: false, falseAlarms: 2, healthySteps: 180 });
  });
});

describe("the rules of others, where values are not finite", () => {
  const alarms = (title: string, values: (t: number) => Record<string, number>) => {
    const points = Array.from({ length: 200 }, (_, iteration) => ({ iteration, values: values(iteration) }));
    const isOn = baselines.find((rule) => rule.title === title)?.alarms(points) ?? [];
    return isOn.flatMap((on, t) => (on ? [t] : []));
  };
  const norm = (broken: number) => (t: number) => ({
    "update/gradientNorm": t === 150 ? broken : 1 + 0.1 * Math.sin(t),
  });
  const loss = (broken: number) => (t: number) => ({ "loss/total": t === 150 ? broken : Math.sin(t) });
  const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

  it("OLMo skips a step whose value is not below its limit, and all while NaN is in its window", () => {
    expect(alarms("OLMo 6σ, window 64", norm(NaN))).toEqual(from(150, 199));
    expect(alarms("OLMo 6σ, window 64", norm(Infinity))).toEqual(from(150, 199));
    expect(alarms("OLMo 6σ, window 64", loss(NaN))).toEqual(from(150, 199));
    expect(alarms("OLMo 6σ, window 64", norm(1))).toEqual([]);
  });

  it("ZClip cuts ∞, lets NaN through and is blind from then on", () => {
    const spike = (broken: number) => (t: number) => (t === 190 ? { "update/gradientNorm": 50 } : norm(broken)(t));
    expect(alarms("ZClip z > 2.5 as an alarm", spike(Infinity))).toEqual([150, 190]);
    expect(alarms("ZClip z > 2.5 as an alarm", spike(NaN))).toEqual([]);
  });

  it("rlwatch alarms at any loss that is not finite, and at none that is missing", () => {
    expect(alarms("rlwatch defaults", loss(NaN))).toEqual([150]);
    expect(alarms("rlwatch defaults", loss(-Infinity))).toEqual([150]);
    expect(alarms("rlwatch defaults", norm(NaN))).toEqual([]);
    expect(
      alarms("rlwatch defaults", (t) => ({ "policy/klReference": t === 150 ? Infinity : 1 + Math.sin(t) })),
    ).toEqual([150]);
  });

  it("RAGEN counts anew after NaN", () => {
    const failing = (t: number) => ({ "rollout/successRate": t < 100 ? 0.5 : t === 103 ? NaN : 0 });
    expect(alarms("RAGEN early stops", failing)[0]).toBe(108);
  });

  it("none of them takes a metric that is not logged for NaN", () => {
    for (const { title } of baselines) expect(alarms(title, () => ({ "rollout/successRate": 0.5 }))).toEqual([]);
  });
});

describe("a summary", () => {
  it.each([
    [3, 7500, 0.4, 0.082, 1.169],
    [0, 7500, 0, 0, 0.492],
  ])("%d false alarms in %d healthy steps (golden)", (falseAlarms, healthySteps, rate, low, high) => {
    const run = { hasCollapsed: false, isDetected: false, falseAlarms, healthySteps };
    const { falseAlarmRate, falseAlarmInterval } = summarise([run], { resamples: 10 });
    expect(falseAlarmRate).toBeCloseTo(rate, 6);
    expect(falseAlarmInterval.low).toBeCloseTo(low, 3);
    expect(falseAlarmInterval.high).toBeCloseTo(high, 3);
  });

  it.each([
    ["true", { hasCollapsed: true, isDetected: true, falseAlarms: 0, healthySteps: 100 }, 0.51, 1],
    ["false", { hasCollapsed: false, isDetected: false, falseAlarms: 2, healthySteps: 100 }, 0, 0.49],
  ])("claims no certainty of precision from four runs whose alarms are all %s", (_, run, low, high) => {
    const { precisionInterval } = summarise([run, run, run, run], { resamples: 100 });
    expect(precisionInterval.low).toBeCloseTo(low, 2);
    expect(precisionInterval.high).toBeCloseTo(high, 2);
  });

  it("counts collapses once and alarms each time", () => {
    const found = { hasCollapsed: true, isDetected: true, falseAlarms: 1, healthySteps: 100, lead: 12, delay: 3 };
    const missed = { hasCollapsed: true, isDetected: false, falseAlarms: 0, healthySteps: 100 };
    const { recall, precision, lead } = summarise([found, found, missed], { resamples: 100 });
    expect(recall).toBeCloseTo(2 / 3, 12);
    expect(precision).toBe(0.5);
    expect(lead).toEqual({ median: 12, low: 12, high: 12, atLeastTen: 1 });
  });
});

it("κ is 1 for agreement and 0 for chance", () => {
  const pairs = [
    [true, true],
    [false, false],
  ] as const;
  expect(cohensKappa(pairs)).toBe(1);
  expect(cohensKappa([...pairs, [true, false], [false, true]])).toBe(0);
});
