import { readFileSync } from "node:fs";
import { z } from "zod";

const numbers = z.array(z.number());
/** Mean of a reference value over seeds, and its standard deviation. */
const Reference = z.tuple([numbers, numbers]);

const Fixtures = z.object({
  numTrees: z.number(),
  functions: z.array(
    z.object({
      name: z.string(),
      inputs: z.array(numbers),
      outcomes: numbers,
      score: z.tuple([z.number(), z.number()]),
      mains: Reference,
      losses: Reference,
      pairs: Reference,
    }),
  ),
});

/** Reference values from optuna and scikit-learn, written by the adjacent `makeFixtures.py`. */
export const { numTrees, functions } = Fixtures.parse(
  JSON.parse(readFileSync(new URL("fixtures.json", import.meta.url), "utf8")),
);
