import { describe, expect, it } from "vitest";
import { arcsineError, effectiveEpisodes } from "./robust.ts";
import { drawdownOf } from "./drawdown.ts";
import { indexOf, nextIndex } from "../detector.ts";

describe("the noise of a success rate (golden)", () => {
  it("128 rollouts in groups of 8 are worth 75.3 independent ones", () => {
    const numEffective = effectiveEpisodes(128, 8, 0.1);
    expect(numEffective).toBeCloseTo(75.3, 1);
    // An error dT of T is dp = 2 √(p (1 − p)) dT of the rate p. At p = one half, both are equal.
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
    const reward = { kind: "reward", noise: () => 0.5, range: 8 } as const;
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
