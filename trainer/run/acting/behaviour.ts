import type { LogitNoise } from "#trainer/policy/decode.ts";
import type { Parameters } from "#trainer/policy/parameters.ts";
import { chanceOf } from "#trainer/spec/origin.ts";
import { split, type Rng } from "#trainer/spec/rng.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { drawLag, noiseOf, samplerVersion } from "#trainer/spec/sampler.ts";
import type { Actor } from "./actor.ts";
import type { Versions } from "./versions.ts";

/** Policy version at the sampler's precision: the behaviour policy μ of the episodes that it samples. */
export type Writer = {
  version: number;
  complete: Actor["complete"];
};

/** Policy that samples responses, until `release` frees its resources. */
export type Acting = Pick<Actor, "complete"> & { release?: () => Promise<void> };

/**
 * Returns the sampling policy of each episode, and the logit noise of each response. `path` identifies them by the
 * indices of iteration, sampling round, group and episode, and for noise also the response.
 */
export type Behaviour = {
  writerOf(path: readonly number[]): Writer;
  /** Returns the noise on the logits of one response; undefined if the sampler has no noise. */
  noiseOf(path: readonly (number | string)[]): LogitNoise | undefined;
};

/**
 * Sampler that is stale, noisy or less precise than the trainer. One policy version samples all turns of an episode.
 */
export function makeBehaviour(spec: RunSpec, versions: Versions, act: (parameters: Parameters) => Acting): Behaviour {
  const { rollout } = spec;
  const chance = chanceOf(spec);
  const writers = new Map<number, Writer & Acting>();
  const noise = noiseOf(rollout);
  return {
    writerOf(path) {
      const lag = drawLag(rollout.lag, split(chance, "lag", ...path));
      // A branch whose origin had a less stale sampler lacks older versions.
      const version = Math.max(versions.oldest(), samplerVersion(versions.newest(), lag));
      const known = writers.get(version) ?? { version, ...act(versions.rounded(version)) };
      writers.set(version, known);
      for (const [old, { release }] of writers) {
        if (old >= versions.oldest()) continue;
        writers.delete(old);
        void release?.();
      }
      return known;
    },
    noiseOf: (path) => noise && addNoise(noise.sigma, split(chance, "sampler noise", noise.seed, ...path)),
  };
}

/** Returns a function that adds independent normal noise with standard deviation `sigma` to every logit of a token. */
function addNoise(sigma: number, rng: Rng): LogitNoise {
  return (logits) => logits.map((x) => x + sigma * rng.normal());
}
