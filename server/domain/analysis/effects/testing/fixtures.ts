import { readFileSync } from "node:fs";
import { z } from "zod";

const numbers = z.array(z.number());

const Fixtures = z.object({
  designs: z.array(
    z.object({
      rows: z.array(z.object({ a: z.string(), b: z.string(), c: z.string(), y: z.number() })),
      means: z.array(z.tuple([z.string(), z.string(), z.number()])),
      mainSquares: numbers,
      crossedSquares: numbers,
      crossedTerms: z.array(z.string()),
      crossedDf: numbers,
      seedSquares: z.number(),
      seedDf: z.number(),
      shares: numbers,
    }),
  ),
});

/** Reference results of statsmodels for tests; `makeFixtures.py` beside this file computes them. */
export const { designs } = Fixtures.parse(JSON.parse(readFileSync(new URL("fixtures.json", import.meta.url), "utf8")));
