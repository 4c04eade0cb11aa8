import type { SamplingSize } from "#packages/detector";

/** Default number of episodes behind success rates if a run does not state it: the sizes of the paper's runs. */
export const usualSampling = { numEpisodes: 128, groupSize: 8, numHeldOut: 128 } satisfies SamplingSize;
