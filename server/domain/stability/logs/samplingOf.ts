import type { StoredSpec } from "#server/domain/import/storedSpec.ts";
import { isImported } from "#server/domain/import/isImported.ts";
import type { SamplingSize } from "../detector.ts";

/** How many episodes stand behind a configuration's success rates. */
export function samplingOf(spec: StoredSpec): SamplingSize {
  if (isImported(spec)) return spec.sampling;
  const { numGroups, groupSize } = spec.rollout;
  return { numEpisodes: numGroups * groupSize, groupSize, numHeldOut: spec.evaluation.numEpisodes };
}
