import { split } from "#trainer/spec/rng.ts";
import { describe, expect, it } from "vitest";
import { brierScore, brierSkill, fitPlatt, reliabilityBins, rocArea, sigmoid } from "./calibration.ts";

const forecasts = [
  { probability: 0.9, happened: true },
  { probability: 0.6, happened: false },
  { probability: 0.6, happened: true },
  { probability: 0.2, happened: false },
];

describe("scores of forecasts", () => {
  it("are the textbook's", () => {
    expect(brierScore(forecasts)).toBeCloseTo((0.01 + 0.36 + 0.16 + 0.04) / 4, 12);
    expect(brierSkill(forecasts)).toBeCloseTo(1 - 0.1425 / 0.25, 12);
    // Three of the four positive-negative pairs are ordered correctly and one is tied.
    expect(rocArea(forecasts)).toBeCloseTo(3.5 / 4, 12);
  });

  it("say that knowing nothing is no skill", () => {
    const blind = forecasts.map(({ happened }) => ({ probability: 0.5, happened }));
    expect([brierSkill(blind), rocArea(blind)]).toEqual([0, 0.5]);
  });

  it("lie in bins with the rate beside the probability", () => {
    expect(reliabilityBins(forecasts, 5)).toEqual([
      { low: 0.2, high: 0.4, count: 1, meanProbability: 0.2, rate: 0 },
      { low: 0.6, high: 0.8, count: 2, meanProbability: 0.6, rate: 0.5 },
      { low: 0.8, high: 1, count: 1, meanProbability: 0.9, rate: 1 },
    ]);
    expect(reliabilityBins([{ probability: 1, happened: true }], 10)[0]?.high).toBe(1);
  });
});

describe("Platt's scaling", () => {
  const rng = split("platt");
  const draw = (slope: number, offset: number, spread: number) =>
    Array.from({ length: 20_000 }, () => {
      const logit = spread * rng.normal();
      return { logit, happened: rng.next() < sigmoid(slope * logit + offset) };
    });

  it.each([
    [0.4, -2, 2],
    [2, 1, 0.5],
  ])("finds a slope of %d and an offset of %d", (slope, offset, spread) => {
    const found = fitPlatt(draw(slope, offset, spread));
    expect(Math.abs(found.slope - slope)).toBeLessThan(0.1);
    expect(Math.abs(found.offset - offset)).toBeLessThan(0.1);
  });

  it("stays finite where logits are huge and separate the outcomes", () => {
    const scores = Array.from({ length: 200 }, (_, i) => ({ logit: i < 100 ? -300 : 300, happened: i >= 100 }));
    const { slope, offset } = fitPlatt(scores);
    expect(sigmoid(300 * slope + offset)).toBeCloseTo(101 / 102, 3);
    expect(sigmoid(-300 * slope + offset)).toBeCloseTo(1 / 102, 3);
  });
});
