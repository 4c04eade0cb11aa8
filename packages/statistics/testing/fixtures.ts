import { readFileSync } from "node:fs";
import { z } from "zod";

/** Schema of a number that may be NaN. JSON has no NaN, so `makeFixtures.py` writes null instead. */
const number = z
  .number()
  .nullable()
  .transform((x) => x ?? NaN);
const numbers = z.array(number);
const rows = z.array(numbers);

const Fixtures = z.object({
  distributions: z.object({
    tTails: rows,
    tQuantiles: rows,
    fTails: rows,
    chiSquareTails: rows,
    chiSquareQuantiles: rows,
    normalTails: rows,
    incompleteBetas: rows,
    logGammas: rows,
  }),
  pairs: z.array(
    z.object({
      x: numbers,
      y: numbers,
      welch: numbers,
      mannWhitney: numbers,
      permutation: number,
      cohenD: number,
      winShare: number,
      paired: numbers.nullable(),
    }),
  ),
  tied: z.array(z.object({ x: numbers, y: numbers, u: number, mannWhitney: number, means: number })),
  rates: z.array(z.object({ k: z.number(), n: z.number(), wilson: numbers })),
  fisher: rows,
  corrections: z.array(z.object({ p: numbers, holm: numbers })),
  powers: rows,
  survival: z.object({
    samples: z.array(
      z.object({
        time: numbers,
        isEvent: z.array(z.boolean()),
        at: numbers,
        survival: numbers,
        low: numbers,
        high: numbers,
        restricted: numbers,
      }),
    ),
    logRanks: rows,
    stratified: z.array(
      z.object({
        strata: z.array(z.object({ time: numbers, isEvent: z.array(z.boolean()), numOfX: z.number() })),
        chiSquare: number,
        p: number,
        numEvents: z.number(),
      }),
    ),
    paired: z.array(z.object({ x: numbers, y: numbers, interval: numbers })),
  }),
  pooled: z.array(
    z.object({
      x: rows,
      y: rows,
      aggregates: z.record(z.string(), numbers),
      improvement: numbers,
      thresholds: numbers,
      profile: numbers,
    }),
  ),
  selection: rows,
});

/** Reference values from SciPy, rliable, lifelines and statsmodels, written by `makeFixtures.py` in this folder. */
export const fixtures = Fixtures.parse(JSON.parse(readFileSync(new URL("fixtures.json", import.meta.url), "utf8")));
