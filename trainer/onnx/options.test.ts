import { expect, it } from "vitest";
import { numThreads } from "./options.ts";

it.each([
  [{}, 1],
  [{ ARLARENA_THREADS: "3" }, 3],
  [{ ARLARENA_THREADS: "64" }, 8],
  [{ SLURM_CPUS_PER_TASK: "4" }, 4],
  [{ ARLARENA_THREADS: "2", SLURM_CPUS_PER_TASK: "4" }, 2],
  [{ ARLARENA_THREADS: "many" }, 1],
  [{ ARLARENA_THREADS: "0" }, 1],
])("of 8 cores with %j: %i", (environment, expected) => {
  expect(numThreads(environment, 8)).toBe(expected);
});
