import { readFileSync } from "node:fs";
import { z } from "zod";

const numbers = z.array(z.number());
const rows = z.array(numbers);

const Fixtures = z.object({
  sobol: z.object({ plain: rows, scrambled: z.object({ rows, shift: numbers, points: rows }) }),
  parzen: z.array(z.object({ observed: rows, asked: rows, logDensity: numbers })),
  volumes: z.array(z.object({ points: rows, volume: z.number() })),
  friedman: z.array(z.object({ table: rows, statistic: z.number(), p: z.number() })),
});

/** Reference values from SciPy and Optuna, written by the adjacent `makeFixtures.py`. */
export const fixtures = Fixtures.parse(JSON.parse(readFileSync(new URL("fixtures.json", import.meta.url), "utf8")));
