import { readFileSync } from "node:fs";
import { z } from "zod";

const numbers = z.array(z.number());
/** Schema of a reference result: its mean over seeds, and its standard deviation. */
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

/** Reference results of optuna and scikit-learn for tests; `makeFixtures.py` beside this file computes them. */
export const { numTrees, functions } = Fixtures.parse(
  JSON.parse(readFileSync(new URL("fixtures.json", import.meta.url), "utf8")),
);
