import type { StoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { spendingOf } from "#trainer/spec/budget.ts";
import type { SamplingSize } from "#packages/detector";

/**
 * Returns the numbers of episodes behind success rates, and the length in iterations.
 * @param numSteps logged steps of a finished run; replaces the planned length of imported runs
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
