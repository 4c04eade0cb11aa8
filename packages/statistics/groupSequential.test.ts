import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Rng, split } from "#trainer/spec/rng.ts";
import { normalQuantile, normalUpperTail } from "./distributions.ts";
import { boundariesOf, nominalLevel, sequentialP, spentShare } from "./groupSequential.ts";
import { findNeededSeeds } from "./neededSeeds.ts";
import { mean, std } from "./summary.ts";
import { welchTest } from "./twoSampleTests.ts";

const numbers = z.array(z.number());
const fixtures = z
  .object({
    exact: z.array(z.object({ seeds: numbers, alpha: z.number(), boundaries: numbers })),
    repeated: z.array(z.object({ looks: numbers, p: z.number(), repeated: z.number() })),
    package: z.array(z.object({ looks: z.number(), alpha: z.number(), phi: z.number(), boundaries: numbers })),
  })
  .parse(JSON.parse(readFileSync(new URL("testing/sequentialFixtures.json", import.meta.url), "utf8")));

describe("boundaries of group-sequential tests", () => {
  it.each(fixtures.exact)("as scipy's multivariate normal for $seeds at $alpha", ({ seeds, alpha, boundaries }) => {
    const spent = seeds.map((n) => alpha * spentShare(n, seeds[0] ?? NaN));
    // Genz's integration of four dimensions is random, with an error of 3e-4.
    expectClose(boundariesOf(spent, seeds), boundaries, 3);
    expect(nominalLevel(alpha, seeds)).toBeCloseTo(2 * normalUpperTail(boundaries.at(-1) ?? NaN), 5);
  });

  it.each(fixtures.package)(
    "as Spotify's port of ldbounds for $looks looks, spending $alpha t^$phi",
    ({ looks, alpha, phi, boundaries }) => {
      const shares = Array.from({ length: looks }, (_, i) => (i + 1) / looks);
      const spent = shares.map((t) => alpha * t ** phi);
      expectClose(boundariesOf(spent, shares), boundaries, 2);
    },
  );

  it("as R's ldbounds prints them for O'Brien and Fleming's spending at five looks", () => {
    const shares = [0.2, 0.4, 0.6, 0.8, 1];
    // ldbounds keeps 0.025 on each side: 4 (1 − Φ(z₀.₀₁₂₅ / √t)).
    const spent = shares.map((t) => 4 * normalUpperTail(normalQuantile(1 - 0.05 / 4) / Math.sqrt(t)));
    expectClose(boundariesOf(spent, shares), [4.8769, 3.357, 2.6803, 2.2898, 2.031], 4);
  });
});

function expectClose(found: readonly number[], expected: readonly number[], digits: number) {
  expect(found).toHaveLength(expected.length);
  for (const [i, x] of found.entries()) expect(x).toBeCloseTo(expected[i] ?? NaN, digits);
}

describe("the p-value of a comparison with added seeds", () => {
  it("is the test's own at a single look, and larger after more", () => {
    expect([sequentialP(0.03, []), sequentialP(0.03, [2.5])]).toEqual([0.03, 0.03]);
    expect(sequentialP(0.03, [2.5, 5])).toBeGreaterThan(0.05);
    expect([sequentialP(1, [1, 2]), sequentialP(0, [1, 2]), sequentialP(NaN, [1, 2])]).toEqual([1, 0, NaN]);
  });

  it.each([[[5, 10]], [[3, 5, 12, 13]], [[3, 4, 5, 6, 7]]])("is below .05 as the level says, for %j", (seeds) => {
    const level = nominalLevel(0.05, seeds);
    expect(sequentialP(level, seeds)).toBeCloseTo(0.05, 6);
    expect(sequentialP(1.01 * level, seeds)).toBeGreaterThan(0.05);
  });

  it.each(fixtures.repeated)("is scipy's to nine digits for p = $p after $looks", ({ looks, p, repeated }) => {
    expect(sequentialP(p, looks) / repeated).toBeCloseTo(1, 9);
  });

  it("is found where looks add nearly nothing, and stays above the test's own", () => {
    for (const looks of [
      [3, 3 + 1e-5, 3 + 2e-5],
      [1, 1 + 1e-7, 2],
      [500, 500.25, 500.5],
    ])
      for (const p of [0.03, 1e-20]) {
        const repeated = sequentialP(p, looks);
        expect(repeated, `${p} after ${looks.join(", ")}`).toBeGreaterThan(p);
        expect(repeated).toBeLessThanOrEqual(1);
      }
  });

  it("stays above the test's own p-value for the clearest differences", () => {
    for (const p of [1e-29, 1e-31, 1e-60, 1e-300]) expect(sequentialP(p, [1.5, 3])).toBeGreaterThan(p);
    expect(sequentialP(1e-29, [1.5, 3]) / sequentialP(0.99e-30, [1.5, 3])).toBeCloseTo(10.1, 0);
  });

  it.each([[[1.5, 15]], [[1.5, 30]], [[1.5, 8]], [[1.5, 2]], [[3, 4, 5, 6, 7]], [[3, 5, 12, 40]]])(
    "rises with the test's own, between it and Bonferroni's correction, for %j",
    (looks) => {
      const [before = NaN, now = NaN] = looks.slice(-2).map((information) => spentShare(information, looks[0] ?? NaN));
      const ps = Array.from({ length: 58 }, (_, i) => 10 ** (i / 2 - 29));
      const repeated = ps.map((p) => sequentialP(p, looks));
      for (const [i, p] of ps.entries()) {
        const found = repeated[i] ?? NaN;
        expect(found, `p = ${p}`).toBeGreaterThan(Math.max(p, repeated[i - 1] ?? 0));
        expect(found / Math.min(1, p / (now - before)), `p = ${p}`).toBeLessThan(1 + 1e-12);
      }
    },
  );

  it("depends on ratios of information alone", () => {
    expect(sequentialP(0.01, [5, 8, 12])).toBeCloseTo(sequentialP(0.01, [2.5, 4, 6]), 9);
  });
});

/** Draws studies of two samples with this effect, in standard deviations; says how many ever reject, and seeds used. */
function simulate({ effect, next }: { effect: number; next: Next }, numStudies = 2000) {
  const rng = split(7, "sequential", Math.round(100 * effect));
  let [numRejected, numSeeds] = [0, 0];
  const levels = new Map<string, number>();
  for (let study = 0; study < numStudies; study++) {
    const draw = (n: number, centre: number) => Array.from({ length: n }, () => centre + rng.normal());
    const looks: number[] = [];
    const [x, y]: [number[], number[]] = [[], []];
    for (let n: number | null = 3; n !== null; n = next({ x, y, looks }, rng)) {
      x.push(...draw(n - x.length, effect));
      y.push(...draw(n - y.length, 0));
      looks.push(n);
      const key = looks.join(" ");
      const level = levels.get(key) ?? (looks.length === 1 ? 0.05 * spentShare(1, 1) : nominalLevel(0.05, looks));
      levels.set(key, level);
      if (welchTest(x, y).p >= level) continue;
      numRejected++;
      break;
    }
    numSeeds += x.length;
  }
  return { rejected: numRejected / numStudies, seeds: numSeeds / numStudies };
}

type Next = (study: { x: number[]; y: number[]; looks: number[] }, rng: Rng) => number | null;

/** Adds one seed, up to 16. */
const one: Next = ({ x }) => (x.length < 16 ? x.length + 1 : null);

/** Adds the seeds that the observed difference calls for, up to four times and 16 seeds. */
const asNeeded: Next = ({ x, y, looks }) => {
  if (x.length >= 16 || looks.length > 4) return null;
  const standardError = Math.sqrt((std(x) ** 2 + std(y) ** 2) / x.length);
  const needed = findNeededSeeds(mean(x) - mean(y), { standardError, n: x.length, looks });
  return Math.min(16, needed ?? 16);
};

describe("2,000 simulated studies", () => {
  it("of equal methods reject in at most 5 % with a look after each of 16 seeds", () => {
    expect(simulate({ effect: 0, next: one }).rejected).toBeLessThanOrEqual(0.05);
  });

  it("of equal methods reject in far more if each look is a test of its own", { tags: "soak" }, () => {
    const rng = split(8, "peeking");
    const peeked = Array.from({ length: 2000 }, () => {
      const [x, y] = [0, 1].map(() => Array.from({ length: 16 }, () => rng.normal()));
      return Array.from({ length: 14 }, (_, i) => i + 3).some(
        (n) => welchTest(x?.slice(0, n) ?? [], y?.slice(0, n) ?? []).p < 0.05,
      );
    });
    expect(peeked.filter(Boolean).length / 2000).toBeGreaterThan(0.12);
  });

  it(
    "of equal methods reject in at most 5 % where the observed difference decides the number of added seeds",
    { tags: "soak" },
    () => {
      expect(simulate({ effect: 0, next: asNeeded }).rejected).toBeLessThanOrEqual(0.05);
    },
  );

  it("find 1.5 standard deviations in 80 % of studies with fewer than 16 seeds", () => {
    const { rejected, seeds } = simulate({ effect: 1.5, next: one });
    expect(rejected).toBeGreaterThan(0.8);
    expect(seeds).toBeLessThan(11);
  });
});

describe("the seeds needed", () => {
  it.each([
    [1.5, 3, [1.5]],
    [1.2, 5, []],
    [1, 5, [1.5, 2.5]],
  ])("for %d standard deviations after %i seeds find them in 80 %% of simulated studies", (effect, n, looks) => {
    const undecided = { standardError: Math.sqrt(2 / n), n, looks };
    const needed = findNeededSeeds(effect, undecided) ?? NaN;
    const level = nominalLevel(0.05, [...(looks.length > 0 ? looks : [n / 2]), needed / 2]);
    const rng = split(9, "needed", n);
    const numFound = Array.from({ length: 2000 }).filter(() => {
      const draw = (centre: number) => Array.from({ length: needed }, () => centre + rng.normal());
      return welchTest(draw(effect), draw(0)).p < level;
    }).length;
    expect(numFound / 2000).toBeGreaterThan(0.77);
    expect(numFound / 2000).toBeLessThan(0.86);
  });

  it("are unknown without a difference, without spread, and above 1,000", () => {
    const undecided = { standardError: 0.1, n: 5, looks: [] };
    expect(findNeededSeeds(0, undecided)).toBeNull();
    expect(findNeededSeeds(1, { ...undecided, standardError: 0 })).toBeNull();
    expect(findNeededSeeds(0.001, undecided)).toBeNull();
  });
});
