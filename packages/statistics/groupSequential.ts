import { normalUpperTail } from "./distributions.ts";

/**
 * Information about a difference at each look that permitted a test, the present look last: 1 / (1/n + 1/m) with n and m
 * seeds. Only ratios matter. One entry (or none) is a test at the planned seeds.
 */
export type Looks = readonly number[];

/**
 * Share of the level spent up to information I (Lan and DeMets, 1983): 1 − I₁ / 2I. The planned seeds spend half, twice
 * as many three quarters. It never ends, because no plan states how many seeds may be added.
 */
export const spentShare = (information: number, first: number): number => 1 - first / (2 * information);

/** Level at which the present look may reject, so that all looks together reject at most with probability `alpha`. */
export function nominalLevel(alpha: number, looks: Looks): number {
  const [first = NaN] = looks;
  if (looks.length < 2) return alpha;
  const spent = looks.map((information) => alpha * spentShare(information, first));
  return 2 * normalUpperTail(boundariesOf(spent, looks).at(-1) ?? NaN);
}

/**
 * Repeated p-value of the present look (Jennison and Turnbull, 1984): the smallest alpha at which it rejects.
 * @param p two-sided p-value of the test as if it were the only one
 */
export function sequentialP(p: number, looks: Looks): number {
  if (looks.length < 2 || !(p > 0 && p < 1)) return p;
  const share = spentShare(looks.at(-1) ?? NaN, looks[0] ?? NaN) - spentShare(looks.at(-2) ?? NaN, looks[0] ?? NaN);
  // Bonferroni's correction is nearly exact here, and the integration would run out of small numbers.
  if (p < 1e-30) return Math.min(1, p / share);
  const excess = (logAlpha: number) => Math.log(nominalLevel(Math.exp(logAlpha), looks) / p);
  // Regula falsi (Illinois) between p, which is always too small, and Bonferroni's correction, which is too large.
  let [low, high] = [Math.log(p), Math.min(0, Math.log(p / share))];
  let [atLow, atHigh] = [excess(low), excess(high)];
  if (atHigh <= 0) return 1;
  for (let i = 0; i < 60 && high - low > 1e-7; i++) {
    const middle = (low * atHigh - high * atLow) / (atHigh - atLow);
    const there = excess(middle);
    if (Math.abs(there) < 1e-7) return Math.exp(middle);
    if (there < 0) [low, atLow, atHigh] = [middle, there, atHigh / 2];
    else [high, atHigh, atLow] = [middle, there, atLow / 2];
  }
  return Math.exp((low + high) / 2);
}

/** Intervals of Simpson's rule over a continuation region; 64 give boundaries within 1e-6 of 512 for 16 looks. */
const numIntervals = 64;

/**
 * Two-sided boundaries of |Z| at each look, by numerical integration (Armitage, McPherson and Rowe, 1969). Without an
 * effect, Z√I is a Brownian motion in the information I.
 * @param spent (K,) probability of having crossed a boundary up to each look, increasing
 * @param looks (K,) information, increasing
 * @returns (K,)
 */
export function boundariesOf(spent: readonly number[], looks: Looks): number[] {
  const boundaries: number[] = [];
  let region: Region = { points: [0], masses: [1] };
  let [before, spentBefore] = [0, 0];
  for (const [k, information] of looks.entries()) {
    const deviation = Math.sqrt(information - before);
    const guess = (boundaries.at(-1) ?? 2) * Math.sqrt(information);
    const end = findEnd(region, { deviation, probability: (spent[k] ?? NaN) - spentBefore, guess });
    boundaries.push(end / Math.sqrt(information));
    region = advance(region, deviation, end);
    [before, spentBefore] = [information, spent[k] ?? NaN];
  }
  return boundaries;
}

/** Sub-density of the motion over paths that have crossed no boundary: points and Simpson's weight × density. */
type Region = { points: readonly number[]; masses: readonly number[] };

type Wanted = { deviation: number; probability: number; guess: number };

/** Finds the b with P(no crossing before, |motion| ≥ b now) = `probability`, by Newton's method on the logarithm. */
function findEnd({ points, masses }: Region, { deviation, probability, guess }: Wanted): number {
  let b = guess;
  for (let i = 0; i < 100; i++) {
    let [tail, density] = [0, 0];
    for (const [j, mass] of masses.entries()) {
      const z = (b - (points[j] ?? 0)) / deviation;
      tail += 2 * mass * normalUpperTail(z);
      density += 2 * mass * normalDensity(z);
    }
    const step = (Math.log(tail / probability) * tail * deviation) / density;
    b = Math.max(0, b + step);
    if (Math.abs(step) < 1e-9 * deviation) break;
  }
  return b;
}

function advance({ points, masses }: Region, deviation: number, end: number): Region {
  const width = (2 * end) / numIntervals;
  const next = Array.from({ length: numIntervals + 1 }, (_, i) => i * width - end);
  return {
    points: next,
    masses: next.map((x, i) => {
      const weight = (width / 3) * (i === 0 || i === numIntervals ? 1 : i % 2 === 1 ? 4 : 2);
      let density = 0;
      for (const [j, mass] of masses.entries()) density += mass * normalDensity((x - (points[j] ?? 0)) / deviation);
      return (weight * density) / deviation;
    }),
  };
}

function normalDensity(z: number): number {
  return Math.exp(-(z * z) / 2) / Math.sqrt(2 * Math.PI);
}
