import type { SamplingSize } from "#server/domain/stability/detector.ts";

/** The episodes behind the success rates of a run that does not give their number: the sizes of the paper's runs. */
export const usualSampling = { numEpisodes: 128, groupSize: 8, numHeldOut: 128 } satisfies SamplingSize;
