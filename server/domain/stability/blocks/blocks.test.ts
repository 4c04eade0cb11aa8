import { describe, expect, it } from "vitest";
import { split, type Rng } from "#trainer/spec/rng.ts";
import { likeliestRunLength, runLengths } from "./bayesianChangePoint.ts";
import { cusum, cusumAlarm } from "./cusum.ts";
import { divergences, effectiveShare } from "./importance.ts";
import { pageHinkley } from "./pageHinkley.ts";
import { segment, segmentPenalty } from "./segmentation.ts";
import { findSkips } from "./skippedSteps.ts";
import { findSpikes, spikeScore } from "./spikes.ts";
import { nextZClip, warmZClip } from "./zClip.ts";

const near = (values: readonly number[], digits: number) => values.map((x) => expect.closeTo(x, digits));

describe("CUSUM", () => {
  it("by hand (golden)", () => {
    expect(cusum([0.5, -0.2, 1.5, 2, 2.5, 0, 3], 0.5)).toEqual(near([0, 0, 1, 2.5, 4.5, 4, 6.5], 12));
  });

  it.each([
    [0.5, 4, [335.4, 26.7, 8.38, 3.34, 2.19]],
    [0.5, 5, [930.9, 38.0, 10.38, 4.01, 2.57]],
    [0.5, 8, [18_962, 84.0, 16.4, 6.01, 3.78]],
    [1, 4, [14_511, 335, 26.7, 4.75, 2.62]],
  ] as const)("run lengths to an alarm with k = %d, h = %d (golden, Brook and Evans)", (slack, limit, expected) => {
    const shifts = [0, 0.5, 1, 2, 3];
    for (const [i, length] of expected.entries()) {
      // Given to three or four digits.
      expect(Math.abs(cusumRunLength(slack, limit, shifts[i] ?? 0) / length - 1)).toBeLessThan(4e-3);
    }
  });

  it.each([
    [0, 951],
    [0.3, 202],
    [0.5, 104],
    [0.7, 70],
  ])("is ruined by autocorrelation: AR(1) with φ = %d alarms every %d steps (golden, simulated)", (phi, expected) => {
    const lengths = Array.from({ length: 400 }, (_, run) => {
      const next = autoregressive(split("cusum", phi, run), phi);
      let sum = 0;
      for (let t = 1; t <= 6000; t++) if ((sum = Math.max(0, sum + next() - 0.5)) > 5) return t;
      return 6000;
    });
    // Two simulations: the standard error of this one alone is 5 %.
    expect(Math.abs(meanOf(lengths) / expected - 1)).toBeLessThan(0.17);
  });

  it("alarms at the value that lifts it above the limit", () => {
    expect(cusumAlarm([0, 0, 3, 3, 3], { slack: 1, limit: 3.5 })).toBe(3);
    expect(cusumAlarm([0, 0, 0], { slack: 1, limit: 3.5 })).toBeUndefined();
  });
});

it.each([
  [0.1, 2.7, 369, 9.7],
  [0.2, 3, 560, 10.8],
  [0.1, 3.5, 4102, 14.8],
  [0.1, 4, 26_193, 19.4],
])("EWMA chart, λ = %d and L = %d: run lengths %d and, shifted by 1σ, %d (golden)", (lambda, limit, calm, shifted) => {
  expect(Math.abs(ewmaRunLength(lambda, limit, 0) / calm - 1)).toBeLessThan(5e-3);
  expect(Math.abs(ewmaRunLength(lambda, limit, 1) / shifted - 1)).toBeLessThan(5e-3);
});

it("z > 3 alone gives 1.35 false alarms per 1,000 normal values and many of heavy tails (golden)", () => {
  expect(1000 * normalTail(3)).toBeCloseTo(1.35, 2);
  expect(1e6 * 1000 * normalTail(6)).toBeCloseTo(0.987, 2);
  // Student's t with 3 degrees of freedom, scaled by its robust deviation 1.4826 × .7649; closed form of its tail.
  const tail = (t: number) => {
    const x = t / Math.sqrt(3);
    return 0.5 - (Math.atan(x) + x / (1 + x * x)) / Math.PI;
  };
  const scale = 1.4826 * 0.764892;
  expect(1000 * tail(3 * scale)).toBeCloseTo(21.2, 1);
  expect(1000 * tail(6 * scale)).toBeCloseTo(3.2, 1);
  const p = normalTail(3);
  expect(10 * p ** 3 * (1 - p) ** 2 + 5 * p ** 4 * (1 - p) + p ** 5).toBeCloseTo(2.5e-8, 9);
});

it("Page–Hinkley (golden)", () => {
  const sums = pageHinkley([1, 1.2, 0.8, 1, 3, 3.2, 2.9], { delta: 0.1, alpha: 1 });
  expect(sums).toEqual(near([0, 0, 0, 0, 1.5, 2.9, 3.8286], 4));
});

describe("Bayesian change points", () => {
  const values = [0.1, -0.2, 0.05, 0, 0.1, -0.1, 5, 5.2, 4.9, 5.1];
  const found = runLengths(values, { expectedLength: 50, prior: { mean: 0, kappa: 0.1, alpha: 1, beta: 0.1 } });

  it("find the jump by the likeliest run length (golden)", () => {
    expect(found.map(likeliestRunLength)).toEqual([1, 2, 3, 4, 5, 6, 1, 2, 3, 4]);
  });

  it("P(run length ≤ 3) leaps at the jump, while P(0) never says anything (golden)", () => {
    const recent = found.map((probabilities) => probabilities.slice(0, 4).reduce((sum, p) => sum + p, 0));
    expect(recent[5]).toBeCloseTo(0.029, 3);
    expect(recent[6]).toBeCloseTo(0.9999, 4);
    for (const probabilities of found) expect(probabilities[0]).toBeCloseTo(0.02, 12);
  });
});

describe("segments", () => {
  const values = [1, 1.1, 0.9, 1, 1.05, 5, 5.1, 4.9, 5, 2, 2.1, 1.9];
  it.each([
    [1, [5, 9, 12]],
    [0.001, [2, 5, 7, 9, 12]],
    [30, [12]],
  ])("at a penalty of %d (golden)", (penalty, ends) => expect(segment(values, { penalty }).ends).toEqual(ends));

  it("have the objective of the partition (golden)", () => {
    expect(segment(values, { penalty: 1 }).objective).toBeCloseTo(2.062, 3);
  });

  it("are one for noise and two for a step, at the penalty of the noise", () => {
    const rng = split("segments");
    const noise = Array.from({ length: 120 }, () => rng.normal());
    const step = noise.map((x, i) => x + (i < 70 ? 0 : 6));
    expect(segment(noise, { penalty: segmentPenalty(noise) }).ends).toEqual([120]);
    expect(segment(step, { penalty: segmentPenalty(step) }).ends).toEqual([70, 120]);
  });
});

it("ZClip (golden)", () => {
  const warm = warmZClip([1, 1.2, 0.8, 1.1, 0.9]);
  expect(warm).toEqual({ mean: expect.closeTo(1, 12), variance: expect.closeTo(0.02, 12) });
  const { state, z, clipped } = nextZClip(warm, 2);
  expect(z).toBeCloseTo(7.071018, 5);
  expect(clipped).toBeCloseTo(1.125001, 6);
  expect(state).toEqual({ mean: expect.closeTo(1.00375, 6), variance: expect.closeTo(0.019841, 6) });
});

it("OLMo's spikes (golden): one, which hides those after it", () => {
  const spikes = findSpikes([1, 1.1, 0.9, 1, 1, 3, 1, 1], { window: 4, sigmas: 2, from: 4 });
  expect(spikes.flatMap((isSpike, i) => (isSpike ? [i] : []))).toEqual([5]);
  expect(spikeScore(spikes)).toBe(0.125);
});

it("effective share and divergences (golden)", () => {
  expect(effectiveShare([1, 1, 1, 5])).toBeCloseTo(0.571429, 6);
  const { k1, k3, chiSquared } = divergences([0, 0.1, -0.2, 0.3]);
  expect(k1).toBeCloseTo(-0.05, 12);
  expect(k3).toBeCloseTo(0.0184401, 7);
  expect(chiSquared).toBeCloseTo(0.1784604, 7);
});

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, x) => sum + x, 0) / values.length;
}

function autoregressive(rng: Rng, phi: number): () => number {
  let x = rng.normal();
  return () => (x = phi * x + Math.sqrt(1 - phi * phi) * rng.normal());
}

/** P(Z > z): a continued fraction where it converges, a series elsewhere. */
function normalTail(z: number): number {
  if (z < 0) return 1 - normalTail(-z);
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (z < 2) {
    let term = z;
    let sum = z;
    for (let n = 1; n < 60; n++) sum += term *= (z * z) / (2 * n + 1);
    return 0.5 - density * sum;
  }
  let fraction = z;
  for (let n = 120; n > 0; n--) fraction = z + n / fraction;
  return density / fraction;
}

/** Mean steps to an alarm of a one-sided CUSUM on normal values: a Markov chain of 200 cells (Brook & Evans 1972). */
function cusumRunLength(slack: number, limit: number, shift: number): number {
  const n = 200;
  const width = (2 * limit) / (2 * n - 1);
  return chainRunLength(n, 0, (from, to) => {
    const centre = (to - from) * width + slack - shift;
    const upper = 1 - normalTail(centre + width / 2);
    return to === 0 ? upper : upper - (1 - normalTail(centre - width / 2));
  });
}

/** Mean steps to an alarm of a two-sided EWMA chart with asymptotic limits. */
function ewmaRunLength(lambda: number, limit: number, shift: number): number {
  const n = 201;
  const bound = limit * Math.sqrt(lambda / (2 - lambda));
  const width = (2 * bound) / n;
  const centreOf = (i: number) => -bound + (i + 0.5) * width;
  return chainRunLength(n, (n - 1) / 2, (from, to) => {
    const at = (edge: number) => (edge - (1 - lambda) * centreOf(from)) / lambda - shift;
    return normalTail(at(centreOf(to) - width / 2)) - normalTail(at(centreOf(to) + width / 2));
  });
}

/** Solves (I − Q) L = 1 by elimination; L of the starting cell. */
function chainRunLength(n: number, start: number, transition: (from: number, to: number) => number): number {
  const rows = Array.from({ length: n }, (_, i) =>
    Float64Array.from({ length: n + 1 }, (_, j) => (j === n ? 1 : Number(i === j) - transition(i, j))),
  );
  for (const [pivot, row] of rows.entries()) {
    const scale = row[pivot] ?? NaN;
    for (let j = pivot; j <= n; j++) row[j] = (row[j] ?? NaN) / scale;
    for (const [i, other] of rows.entries()) {
      const factor = other[pivot] ?? NaN;
      if (i === pivot || factor === 0) continue;
      for (let j = pivot; j <= n; j++) other[j] = (other[j] ?? NaN) - factor * (row[j] ?? NaN);
    }
  }
  return rows[start]?.[n] ?? NaN;
}

it("skipped steps of OLMo: what is not at most the limit, half a window on", () => {
  const skips = findSkips([1, 1.1, 0.9, 1, 1, 3, 1, NaN, 1], { window: 4, sigmas: 3 });
  // One value has no deviation (n − 1), so the second is skipped; (3 − 1) against .0816; NaN stays among the four before.
  expect(skips).toEqual([false, true, false, false, false, true, false, true, true]);
});
