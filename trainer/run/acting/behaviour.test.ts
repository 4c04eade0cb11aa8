import { afterAll, expect, it } from "vitest";
import { makeTaskFamily } from "#trainer/environments/episode.ts";
import { makeParameters, type Parameters } from "#trainer/policy/parameters.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { split } from "#trainer/spec/rng.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { makeEngine, makeLearner, type Scores } from "#trainer/run/learning/learner.ts";
import { tinySpec } from "#trainer/run/testing/tinySpec.ts";
import { makeActor } from "./actor.ts";
import { makeBehaviour } from "./behaviour.ts";
import { collect } from "./collect.ts";
import { makeVersions } from "./versions.ts";

const size = { numGroups: 2, groupSize: 3, historyLength: 1, maxResponseTokens: 12 };
const specOf = (rollout: object): RunSpec => tinySpec(methodOf("grpo"), 1, { rollout: { ...size, ...rollout } });
const plain = specOf({});
const family = await makeTaskFamily(plain.environment);
const { actor, config } = makeActor({ spec: plain, environment: family }, {});
const learner = makeLearner(config, plain, makeEngine(config, plain, {}));
const policyOf = (version: number): Parameters => makeParameters(config, split(version, "policy"));
const acting = actor(policyOf(4), () => {});
afterAll(async () => {
  await acting.close();
  await learner.close();
});

/** Plays an iteration with five versions of the policy, and returns its episodes and the versions. */
async function iterationOf(spec: RunSpec) {
  const versions = makeVersions(spec, config, { version: 0, parameters: policyOf(0) });
  for (const version of [1, 2, 3, 4]) versions?.keep(version, policyOf(version));
  const behaviour = versions && makeBehaviour(spec, versions, (parameters) => actor(parameters, () => {}));
  const { generated, kept } = await collect(spec, acting, { family, iteration: 5, behaviour });
  return { versions, episodes: generated.flatMap((group) => group.episodes), kept };
}

/** Largest difference in nats between the log-probabilities that the sampler logged and those under `parameters`. */
async function gapTo(parameters: Parameters, episodes: Awaited<ReturnType<typeof iterationOf>>["episodes"]) {
  const turns = episodes.flatMap((episode) => episode.turns);
  const scores: Scores[] = await learner.score(parameters, turns);
  const gaps = turns.flatMap(({ samplerLogProbs }, i) =>
    Array.from(samplerLogProbs, (x, t) => Math.abs(x - (scores[i]?.logProbs[t] ?? NaN))),
  );
  return Math.max(...gaps);
}

it("a lag has episodes written by the policy of so many iterations ago, and logs its log-probabilities", async () => {
  const { versions, episodes } = await iterationOf(specOf({ lag: { kind: "constant", k: 3 } }));
  expect(new Set(episodes.map(({ version }) => version))).toEqual(new Set([1]));
  expect(versions?.oldest()).toBe(1);
  expect(await gapTo(policyOf(1), episodes)).toBeLessThan(1e-5);
  expect(await gapTo(policyOf(4), episodes)).toBeGreaterThan(0.1);
});

it("a precision has them written by the rounded policy, and logs the log-probabilities of that", async () => {
  const { versions, episodes } = await iterationOf(specOf({ samplerPrecision: "fp8-e4m3" }));
  expect(await gapTo(versions?.rounded(4) ?? {}, episodes)).toBeLessThan(1e-5);
  expect(await gapTo(versions?.exact(4) ?? {}, episodes)).toBeGreaterThan(1e-3);
  expect(versions?.exact(4)).toEqual(policyOf(4));
});

it("lags drawn by episode mix versions in an iteration, each with its own log-probabilities", async () => {
  const { versions, episodes } = await iterationOf(
    specOf({ lag: { kind: "uniform", max: 4 }, samplerPrecision: "int8" }),
  );
  const numbers = [...new Set(episodes.map(({ version = NaN }) => version))];
  expect(numbers.length).toBeGreaterThan(2);
  for (const version of numbers) {
    const own = episodes.filter((episode) => episode.version === version);
    expect(await gapTo(versions?.rounded(version) ?? {}, own)).toBeLessThan(1e-5);
  }
  const again = await iterationOf(specOf({ lag: { kind: "uniform", max: 4 }, samplerPrecision: "int8" }));
  expect(again.episodes).toEqual(episodes);
});

it("what is older than the bound is generated and left out of the update", async () => {
  const { episodes, kept } = await iterationOf(specOf({ lag: { kind: "uniform", max: 4, discardBeyond: 2 } }));
  const left = kept.flatMap((group) => group.episodes);
  const isFresh = ({ version = NaN }: { version?: number }): boolean => version >= 2;
  expect(left).toEqual(episodes.filter(isFresh));
  expect(left.length).toBeLessThan(episodes.length);
  for (const { episodes: members, rewards, successes } of kept) {
    expect([rewards.length, successes.length]).toEqual([members.length, members.length]);
  }
});

it("noise moves the log-probabilities by about its deviation, with its own seed, and leaves the tokens' draws alone", async () => {
  const noisy = (seed: number, sigma = 0.05) => iterationOf(specOf({ samplerNoise: { sigma, seed } }));
  const [one, two, faint] = [await noisy(1), await noisy(2), await noisy(1, 1e-6)];
  const gap = await gapTo(policyOf(4), one.episodes);
  // The largest of some hundred differences exceeds one standard deviation (0.05) and is below five.
  expect(gap).toBeGreaterThan(0.05);
  expect(gap).toBeLessThan(0.25);
  expect(two.episodes).not.toEqual(one.episodes);
  const exact = await iterationOf(plain);
  const textsOf = (of: typeof exact) => of.episodes.map(({ turns }) => turns.map(({ response }) => [...response]));
  expect(textsOf(faint)).toEqual(textsOf(exact));
});

it("a sampler that is the current policy keeps no versions and names none", async () => {
  const { versions, episodes } = await iterationOf(specOf({ lag: { kind: "constant", k: 0 } }));
  expect(versions).toBeUndefined();
  expect(episodes.some((episode) => "version" in episode)).toBe(false);
  expect(episodes).toEqual((await iterationOf(plain)).episodes);
});
