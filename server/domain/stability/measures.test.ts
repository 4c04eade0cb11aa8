import { describe, expect, it } from "vitest";
import { quantile } from "../statistics/summary.ts";
import { arcsineError, effectiveEpisodes } from "./arcsine.ts";
import { drawdownOf } from "./drawdown.ts";
import { drawdowns, interquartileRange, lowerTail, reliabilityOf } from "./reliability.ts";
import { indexOf, nextIndex } from "./stabilityIndex.ts";
import { stabilityScore } from "./stabilityScore.ts";

describe("the noise of a success rate (golden)", () => {
  it("128 rollouts in groups of 8 are worth 75.3 independent ones", () => {
    const numEffective = effectiveEpisodes(128, 8, 0.1);
    expect(numEffective).toBeCloseTo(75.3, 1);
    // On the rate's own scale dp = 2 √(p (1 − p)) dT: at one half, the error of T itself.
    expect(arcsineError(128)).toBeCloseTo(0.044, 3);
    expect(arcsineError(numEffective)).toBeCloseTo(0.058, 3);
  });

  it(".8 to .5 over medians of seven values of 75 episodes is 8.3 standard errors", () => {
    expect(arcsineError(75, 7)).toBeCloseTo(0.027349, 6);
    const { z, relative } = drawdownOf({ kind: "rate", numEffective: 75 }, { peak: 0.8, now: 0.5, window: 7 });
    expect(z).toBeCloseTo(8.3188, 4);
    expect(relative).toBeCloseTo(0.375, 12);
  });

  it("of a reward counts against what it has to lose, wherever its zero lies", () => {
    const reward = { kind: "reward", noise: 0.5, range: 8 } as const;
    expect(drawdownOf(reward, { peak: -97, now: -101, window: 7 }).relative).toBe(0.5);
    expect(drawdownOf(reward, { peak: 3, now: -1, window: 7 }).relative).toBe(0.5);
    expect(drawdownOf(reward, { peak: 3, now: 4, window: 7 })).toEqual({ relative: 0, z: 0 });
  });
});

it("stability index (golden): gradient and action at 2, ratio at 1", () => {
  const levels = { gradient: 2, ratio: 1, action: 2 } as const;
  expect(indexOf(levels)).toBeCloseTo(19.734, 3);
  expect(indexOf({})).toBe(100);
  expect(nextIndex(100, levels)).toBeCloseTo(83.947, 3);
});

it.each([
  [{ retention: 0.97, healthyShare: 0.95, spikeRate: 0.01, dispersion: 0.2 }, false, 91.3],
  [{ retention: 0.2, healthyShare: 0.6, spikeRate: 0.08, dispersion: 0.5 }, true, 25],
  [{ retention: 0.2, healthyShare: 0.6, spikeRate: 0.08, dispersion: 0.5 }, false, 33.5],
])("stability score (golden) of %o, collapsed: %s, is %d", (parts, hasCollapsed, score) =>
  expect(stabilityScore(parts, { hasCollapsed })).toBeCloseTo(score, 1),
);

describe("reliability (golden)", () => {
  it("largest fall of a curve", () => {
    const values = [0.1, 0.3, 0.5, 0.6, 0.4];
    const points = values.map((value, i) => ({ step: i * 10, value }));
    const { maxDrawdown, maxRelativeDrawdown, shortTermRisk, longTermRisk } = reliabilityOf(points);
    expect(maxDrawdown).toBeCloseTo(0.2, 12);
    expect(maxRelativeDrawdown).toBeCloseTo(0.3333, 4);
    expect(drawdowns(values).map((x) => Number(x.toFixed(12)))).toEqual([0, 0, 0, 0, 0.2]);
    expect(shortTermRisk).toBeCloseTo(-0.02, 12);
    expect(longTermRisk).toBeCloseTo(0.2, 12);
  });

  it("of a reward is the same wherever its zero lies", () => {
    const values = [-9, -6, -3, -1, -2, -8];
    const at = (shift: number) => values.map((value, step) => ({ step, value: value + shift }));
    const { maxRelativeDrawdown } = reliabilityOf(at(0), { kind: "reward" });
    expect(maxRelativeDrawdown).toBeGreaterThan(0.2);
    for (const shift of [-100, 9, 1000])
      expect(reliabilityOf(at(shift), { kind: "reward" })).toEqual(reliabilityOf(at(0), { kind: "reward" }));
  });

  it("risk across ten final values of which two collapsed", () => {
    const finals = [0.9, 0.88, 0.85, 0.2, 0.86, 0.87, 0.83, 0.91, 0.84, 0.1];
    expect(quantile(finals, 0.2)).toBeCloseTo(0.704, 12);
    expect(lowerTail(finals, 0.2)).toBeCloseTo(0.15, 12);
    expect(interquartileRange(finals)).toBeCloseTo(0.045, 12);
  });
});
