import type { StoredSpec } from "#server/domain/import/storedSpec.ts";
import { isImported } from "#server/domain/import/isImported.ts";
import { spendingOf } from "#trainer/spec/budget.ts";
import type { SamplingSize } from "../detector.ts";

/**
 * How many episodes stand behind a configuration's success rates, and how long its runs are meant to be.
 * @param numSteps of a run that is over, what it logged: another trainer's file seldom says how long it was meant to be
 */
export function samplingOf(spec: StoredSpec, numSteps?: number): SamplingSize {
  if (isImported(spec)) {
    const { iterations } = spec.budget;
    const length = numSteps ?? (iterations > 0 ? iterations : undefined);
    return { ...spec.sampling, ...(length !== undefined && { iterations: length }) };
  }
  const { numGroups, groupSize } = spec.rollout;
  const { numEpisodes: numHeldOut } = spec.evaluation;
  return { numEpisodes: numGroups * groupSize, groupSize, numHeldOut, iterations: spendingOf(spec).iterations };
}
