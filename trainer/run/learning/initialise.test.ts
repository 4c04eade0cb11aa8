import { describe, expect, it } from "vitest";
import { makeTaskFamily } from "#trainer/environments/episode.ts";
import { makeParameters } from "#trainer/policy/parameters.ts";
import { isMetricKey } from "#trainer/spec/metric.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { split } from "#trainer/spec/rng.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { makeActor } from "#trainer/run/acting/actor.ts";
import { initialise, type InitialisationEpoch } from "./initialise.ts";
import { makeEngine, makeLearner } from "./learner.ts";
import { generateSuccesses, isWorthKeeping } from "./initialise.ts";
import type { EpisodeRecord } from "#trainer/run/acting/rollout.ts";

type Change = { initialisation: Record<string, unknown>; budget?: unknown };

function specWith(change: Change): RunSpec {
  return RunSpec.parse({
    v: 1,
    seed: 5,
    environment: { id: "sokoban", size: 5, maxTurns: 4 },
    method: methodOf("grpo"),
    rollout: { historyLength: 0, maxResponseTokens: 12 },
    ...change,
  });
}

const never = (): void => {};

/** Initialises one new policy, and returns all that is logged and computed. */
async function run(change: Change) {
  const spec = specWith(change);
  const family = await makeTaskFamily(spec.environment);
  const { actor, config, encode } = makeActor({ spec, environment: family }, {});
  const parameters = makeParameters(config, split(spec.seed, "parameters"));
  const before = structuredClone(parameters);
  const engine = makeEngine(config, spec, {});
  const learner = makeLearner(config, spec, engine);
  const acting = actor(parameters, never);
  const epochs: InitialisationEpoch[] = [];
  const notes: string[] = [];
  const parts = { spec, learner, store: engine.store, parameters, config, family, actor: acting, encode, check: never };
  for await (const each of initialise(parts)) {
    if ("text" in each) notes.push(`${each.level}: ${each.text}`);
    else epochs.push(each);
  }
  await acting.close();
  await learner.close();
  return { epochs, notes, hasLearned: JSON.stringify(parameters) !== JSON.stringify(before), parameters };
}

const few = { numEpisodes: 30, epochs: 2, batchRows: 16 };

describe("what the policy learns first", () => {
  it("from scratch is nothing", async () => {
    const { epochs, hasLearned } = await run({ initialisation: { kind: "scratch" } });
    expect([epochs, hasLearned]).toEqual([[], false]);
  });

  it("is as many demonstrations as a split budget pays for, none included", async () => {
    const initialisation = { kind: "demonstrations", ...few, epochs: 1, batchRows: 1 };
    const split = { units: 1000, demonstrationCost: 10 };
    const half = await run({ initialisation, budget: { split: { ...split, demonstrationShare: 0.1 } } });
    const none = await run({ initialisation, budget: { split: { ...split, demonstrationShare: 0 } } });
    // Ten episodes have one to four turns each, and each turn is one optimizer step.
    expect(half.epochs.map(({ epoch }) => epoch)).toEqual([1]);
    expect(half.epochs[0]?.steps).toBeGreaterThan(10);
    expect(half.epochs[0]?.steps).toBeLessThanOrEqual(40);
    expect([none.epochs, none.hasLearned]).toEqual([[], false]);
  });

  it(
    "is, with rejection, its own successes after demonstrations, counted on and repeatable",
    { tags: "soak" },
    async () => {
      const initialisation = {
        kind: "rejection",
        ...few,
        numEpisodes: 100,
        epochs: 3,
        rounds: 2,
        numGenerated: 60,
        learningRate: 5e-3,
      };
      const { epochs, notes, parameters } = await run({ initialisation });
      expect(notes).toEqual([]);
      expect(epochs.map(({ epoch }) => epoch)).toEqual(Array.from({ length: 9 }, (_, i) => i + 1));
      const steps = epochs.map((epoch) => epoch.steps);
      expect(steps).toEqual(steps.toSorted((a, b) => a - b));
      expect(epochs.flatMap(({ values }) => Object.keys(values)).filter((key) => !isMetricKey(key))).toEqual([]);
      const rounds = epochs.filter(({ values }) => "rejection/successRate" in values);
      expect(rounds.map(({ epoch }) => epoch)).toEqual([4, 7]);
      for (const { values } of rounds) {
        expect(values["rejection/keptEpisodes"]).toBeGreaterThan(0);
        expect(values["rejection/keptEpisodes"]).toBeLessThanOrEqual(
          60 * (values["rejection/successRate"] ?? NaN) + 1e-9,
        );
      }
      const again = await run({ initialisation });
      expect(again.epochs).toEqual(epochs);
      expect(again.parameters).toEqual(parameters);
    },
  );

  it("stays as it is in a round without a success, and a warning says so", async () => {
    const initialisation = { kind: "rejection", ...few, numEpisodes: 1, epochs: 1, learningRate: 0, numGenerated: 8 };
    const { epochs, notes, hasLearned } = await run({ initialisation });
    expect(epochs.map(({ epoch, values }) => [epoch, values["rejection/keptEpisodes"]])).toEqual([
      [1, undefined],
      [2, 0],
    ]);
    expect(notes).toEqual([
      "warning: rejection round 1: none of 8 episodes succeeded in a valid format, so nothing was learned",
    ]);
    expect(hasLearned).toBe(false);
  });
});

describe("an episode is kept", () => {
  const turn = {
    prompt: Int32Array.of(1),
    response: Int32Array.of(2),
    turn: 0,
    anchor: "",
    reward: 0,
    isFormatValid: true,
    isActionValid: true,
    isCut: false,
    action: "up",
    samplerLogProbs: Float32Array.of(0),
    samplerEntropies: Float32Array.of(0),
  };
  const episode: EpisodeRecord = {
    turns: [turn, turn],
    episodeReward: 10,
    isSuccess: true,
    score: 1,
    taskType: undefined,
  };

  it.each([
    ["when it succeeded in a valid format throughout", episode, true],
    ["not when it failed", { ...episode, isSuccess: false }, false],
    ["not when one turn was badly formatted", { ...episode, turns: [turn, { ...turn, isFormatValid: false }] }, false],
  ])("%s", (_, given, expected) => expect(isWorthKeeping(given)).toBe(expected));
});

it("every round attempts other tasks, with other chance", async () => {
  const spec = specWith({ initialisation: { kind: "rejection", ...few, numGenerated: 6 } });
  const family = await makeTaskFamily(spec.environment);
  const { actor, config, encode } = makeActor({ spec, environment: family }, {});
  const acting = actor(makeParameters(config, split(0, "parameters")), never);
  const prompts: string[][] = [];
  const listening = {
    ...acting,
    encode: (prompt: string): Int32Array => {
      prompts.at(-1)?.push(prompt);
      return encode.prompt(prompt);
    },
  };
  const { initialisation } = spec;
  if (initialisation.kind !== "rejection") throw new Error("not what was asked for");
  for (const round of [1, 2, 1]) {
    prompts.push([]);
    await generateSuccesses(spec, listening, { family, initialisation, round });
  }
  await acting.close();
  expect(prompts[2]).toEqual(prompts[0]);
  expect(prompts[1]?.slice(0, 6)).not.toEqual(prompts[0]?.slice(0, 6));
});
