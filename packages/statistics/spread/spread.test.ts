import { array, assert, double, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { meanInterval } from "../distributions.ts";
import { differenceOf, spreadOf } from "./spread.ts";
import { nameSpread, writeDifference, writeInterval, writeSpread, writeSpreadOfSeeds } from "./writeSpread.ts";

const rate = { unit: "fraction" };
const nats = { unit: "nats/token" };

describe("a spread", () => {
  it("is the mean with its 95 % t interval over seeds, in brackets", () => {
    expect(writeSpread(spreadOf([0.561, 0.622, 0.761], rate), rate)).toBe("64.8 [39, 90] %");
    expect(writeSpread(spreadOf([0.739, 0.741, 0.7405], rate), rate)).toBe("74.0 [73.8, 74.3] %");
    expect(writeSpread(spreadOf([0.0012, 0.0018, 0.0015], nats), nats)).toBe("0.00150 [0.00075, 0.00225]");
    expect(writeSpread(spreadOf([12_000, 13_000, 14_500], nats), nats)).toBe("13,167 [10,041, 16,292]");
  });

  it("of a rate ends at 0 and 1, where the t interval would go on", () => {
    const { mean, halfWidth } = meanInterval([0.1, 0.5, 0.77]);
    expect(mean - halfWidth).toBeLessThan(0);
    expect(writeSpread(spreadOf([0.1, 0.5, 0.77], rate), rate)).toBe("45.7 [0, 100] %");
  });

  it("has no interval below three seeds, nor where all seeds gave one value", () => {
    expect(writeSpreadOfSeeds(spreadOf([0.648], rate), rate)).toBe("64.8 % (1 seed)");
    expect(writeSpreadOfSeeds(spreadOf([0.6, 0.7], rate), rate)).toBe("65.0 % (2 seeds)");
    expect(writeSpreadOfSeeds(spreadOf([0.3, 0.3, 0.1 + 0.2], rate), rate)).toBe("30.0 % (3 seeds)");
    expect(spreadOf([NaN, 0.5], rate)).toEqual({ mean: 0.5, n: 1, interval: null });
  });

  it("is named by how many seeds it is over", () => {
    expect([
      nameSpread({ fewest: 1, most: 1 }),
      nameSpread({ fewest: 1, most: 2 }),
      nameSpread({ fewest: 3, most: 3 }),
      nameSpread({ fewest: 2, most: 5 }),
    ]).toEqual(["1 seed", "mean over 1–2 seeds", "mean [95 % CI] over 3 seeds", "mean [95 % CI] over 2–5 seeds"]);
  });

  it("of any shares never leaves 0 to 100 %, holds its mean, and never says ±", () => {
    assert(
      property(array(double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 8 }), (values) => {
        const text = writeSpread(spreadOf(values, rate), rate);
        const [, mean, low = mean, high = mean] =
          /^(\d+\.\d)(?: \[(\d+(?:\.\d)?), (\d+(?:\.\d)?)\])? %$/.exec(text) ?? [];
        expect(mean, text).toBeDefined();
        expect(Number(low), text).toBeLessThanOrEqual(Number(mean) + 0.5);
        expect(Number(high), text).toBeGreaterThanOrEqual(Number(mean) - 0.5);
        expect(Number(high), text).toBeLessThanOrEqual(100);
      }),
    );
  });

  it("of any numbers has ends in their order", () => {
    assert(
      property(
        double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }),
        double({ min: 0, max: 1e6, noNaN: true }),
        (low, width) => {
          const text = writeInterval({ low, high: low + width }, "significant").replaceAll("−", "-");
          const [, a, b] = /^\[(.+), (.+)\]$/.exec(text) ?? [];
          const toNumber = (end: string | undefined) => Number(end?.replaceAll(",", ""));
          expect(toNumber(a), text).toBeLessThanOrEqual(toNumber(b));
        },
      ),
    );
  });
});

it("has no interval below the smallest value of a metric", () => {
  const values = [1, 2, 9];
  expect(spreadOf(values, { unit: "ms", min: 0 })).toMatchObject({
    mean: 4,
    interval: { low: 0, high: expect.closeTo(14.83, 2) },
  });
  expect(spreadOf(values, { unit: "nats/token" }).interval?.low).toBeCloseTo(-6.83, 2);
  expect(spreadOf([0.1, 0.2, 0.9], rate).interval).toEqual({ low: 0, high: 1 });
  // A trainer's signed estimate of a KL keeps the interval around its mean.
  const { mean: centre, interval } = spreadOf([-0.5, -0.6, -0.7], { unit: "nats/token", min: 0 });
  expect([centre, interval?.low, interval?.high].map((x) => x?.toFixed(2))).toEqual(["-0.60", "-0.85", "-0.35"]);
});

describe("a difference", () => {
  it("is signed, with Welch's interval, and says that it is unpaired", () => {
    const difference = differenceOf([0.7, 0.75, 0.71], [0.6, 0.66, 0.62], rate);
    expect(difference).toMatchObject({ pairing: "unpaired", p: expect.closeTo(0.01678, 5) });
    expect(difference && writeDifference(difference, rate)).toBe("+9.3 [3, 16]");
  });

  it("is zero where rounding alone is left of it", () => {
    const difference = differenceOf([0.1 + 0.2], [0.3], rate);
    expect(difference).toEqual({ value: 0, interval: null, p: null, pairing: "unpaired" });
    expect(writeDifference({ value: 5.55e-17, interval: null }, rate)).toBe("0.0");
    expect(writeDifference({ value: -0.0401, interval: null }, rate)).toBe("−4.0");
  });
});
