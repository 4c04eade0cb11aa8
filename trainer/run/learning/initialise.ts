import type { TaskFamily } from "#trainer/environments/episode.ts";
import { warmupCosine } from "#trainer/objective/schedule.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import { letSignalsIn } from "#trainer/run/keeping/interrupt.ts";
import { policyShapes } from "#trainer/run/keeping/state.ts";
import { spendingOf } from "#trainer/spec/budget.ts";
import type { Actor } from "#trainer/run/acting/actor.ts";
import { taskSeeds } from "#trainer/spec/environment.ts";
import { split } from "#trainer/spec/rng.ts";
import type { InitialisationSpec, RolloutShape, RunSpec } from "#trainer/spec/run.ts";
import { chunk, type TokenRow } from "./batch.ts";
import { type EpisodeRecord, rollOut } from "#trainer/run/acting/rollout.ts";
import type { Learner, Weights } from "./learner.ts";
import { toSequences, toTokenRow } from "./sequences.ts";
import { meanOf, shareOf } from "#trainer/run/acting/summary.ts";
import type { Store } from "./store.ts";
import { shuffled } from "./update.ts";

export type Initialisation = Cloning & {
  family: TaskFamily;
  /** Acts with the current parameters. */
  actor: Actor;
  encode: Encoding;
};

/** One pass over the cloned data. Epochs and steps are counted across demonstrations and all rounds. */
export type InitialisationEpoch = Passes & { values: Readonly<Record<string, number>> };

/** A remark for the log. */
export type InitialisationRemark = { level: "info" | "warning"; text: string };

/**
 * Training before reinforcement learning: none, demonstrations, or demonstrations followed by rounds of rejection
 * fine-tuning on the policy's successful episodes. A round's metrics are logged with its first epoch.
 */
export async function* initialise(parts: Initialisation): AsyncGenerator<InitialisationEpoch | InitialisationRemark> {
  const { spec, family, actor, encode } = parts;
  const { initialisation } = spec;
  if (initialisation.kind === "scratch") return;
  let done: Passes = { epoch: 0, steps: 0 };
  const numEpisodes = spendingOf(spec).numDemonstrations;
  const demonstrations = await demonstrate({ spec, family, encode }, numEpisodes, parts.check);
  for await (const pass of clone(parts, demonstrations, done)) {
    done = pass;
    yield pass;
  }
  if (initialisation.kind === "demonstrations") return;
  for (let round = 1; round <= initialisation.rounds; round++) {
    const { kept, values } = await generateSuccesses(spec, actor, { family, initialisation, round });
    if (kept.length === 0) {
      const text = `rejection round ${round}: none of ${initialisation.numGenerated} episodes succeeded in a valid format, so nothing was learned`;
      yield { level: "warning", text };
      done = { ...done, epoch: done.epoch + 1 };
      yield { ...done, values };
      continue;
    }
    let ofRound: Readonly<Record<string, number>> = values;
    for await (const pass of clone(parts, kept, done)) {
      done = pass;
      yield { ...pass, values: { ...ofRound, ...pass.values } };
      ofRound = {};
    }
  }
}

type RejectionSpec = Extract<InitialisationSpec, { kind: "rejection" }>;

/** The policy's own episodes of one round, and the successful rows for training. */
type RejectionRound = {
  kept: TokenRow[];
  values: { "rejection/successRate": number; "rejection/keptEpisodes": number };
};

/** Number of concurrent episodes, which bounds the memory. */
const batchEpisodes = 512;

/**
 * One round of rejection sampling. The policy attempts training tasks once each. The rows of every successful episode
 * with a valid format in all turns are kept.
 */
export async function generateSuccesses(
  spec: RunSpec,
  actor: Actor,
  { family, initialisation, round }: { family: TaskFamily; initialisation: RejectionSpec; round: number },
): Promise<RejectionRound> {
  const { numGenerated, temperature } = initialisation;
  const tasks = split(spec.seed, "rejection tasks", round);
  const { from, to } = taskSeeds.train;
  const seeds = Array.from({ length: numGenerated }, () => from + tasks.int(to - from));
  const episodes: EpisodeRecord[] = [];
  for (const part of chunk(seeds, batchEpisodes)) {
    const first = episodes.length;
    const { groups } = await rollOut(actor, family, {
      seeds: part,
      groupSize: 1,
      shape: actor.shape,
      historyLength: spec.rollout.historyLength,
      sampling: { temperature, topP: 1, topK: 0 },
      rngOf: (group, _, turn) => split(spec.seed, "rejection", round, first + group, turn),
    });
    episodes.push(...groups.flatMap((group) => group.episodes));
  }
  const kept = episodes.filter(isWorthKeeping);
  return {
    kept: kept.flatMap(({ turns }) => toSequences(turns, actor.shape).map(toTokenRow)),
    values: {
      "rejection/successRate": shareOf(episodes, (episode) => episode.isSuccess),
      "rejection/keptEpisodes": kept.length,
    },
  };
}

export function isWorthKeeping({ isSuccess, turns }: EpisodeRecord): boolean {
  return isSuccess && turns.every((turn) => turn.isFormatValid);
}

type Cloning = {
  spec: RunSpec;
  learner: Learner;
  store: Store;
  /** Parameters to update, mutated in place. */
  parameters: Weights;
  config: PolicyConfig;
  /** Called before every step; throws when a stop was requested. */
  check: () => void;
};

/** Epochs and optimizer steps so far. */
type Passes = { epoch: number; steps: number };

type CloneEpoch = Passes & { values: { "clone/loss": number; "clone/tokenAccuracy": number } };

/**
 * Behaviour cloning: maximum likelihood of given responses to the policy's own kind of prompts. Yields after every
 * epoch, numbered from `before` on. The optimizer starts afresh. Its learning rate warms up linearly over a tenth of
 * the steps and decays as a cosine.
 */
async function* clone(cloning: Cloning, rows: readonly TokenRow[], before: Passes): AsyncGenerator<CloneEpoch> {
  const { spec, learner, store, parameters, config, check } = cloning;
  const { initialisation } = spec;
  if (initialisation.kind === "scratch" || rows.length === 0) return;
  const { epochs, batchRows, learningRate: peak } = initialisation;
  const optimizer = store.makeOptimizer(spec.optimizer, policyShapes(config));
  const numSteps = epochs * Math.ceil(rows.length / batchRows);
  let step = 0;
  for (let epoch = before.epoch + 1; epoch <= before.epoch + epochs; epoch++) {
    const losses: number[] = [];
    const accuracies: number[] = [];
    for (const batch of chunk(shuffled(rows, split(spec.seed, "cloning", epoch)), batchRows)) {
      check();
      const { gradients, loss, tokenAccuracy } = await learner.cloneGradient(parameters, batch);
      await optimizer.step(parameters, gradients, warmupCosine({ peak, numSteps, warmupFraction: 0.1 }, step));
      losses.push(loss);
      accuracies.push(tokenAccuracy);
      step++;
    }
    yield {
      epoch,
      steps: before.steps + step,
      values: { "clone/loss": meanOf(losses), "clone/tokenAccuracy": meanOf(accuracies) },
    };
  }
}

/** Converts texts into training rows. */
type Encoding = {
  shape: RolloutShape;
  prompt(words: string): Int32Array;
  response(text: string): Int32Array;
};

/** Plays expert episodes on training tasks, in the policy's row format. Equally good moves are sampled at random. */
export async function demonstrate(
  { spec, family, encode }: { spec: RunSpec; family: TaskFamily; encode: Encoding },
  numEpisodes: number,
  check: () => void,
): Promise<TokenRow[]> {
  const { initialisation, rollout } = spec;
  if (initialisation.kind === "scratch") return [];
  const tasks = split(spec.seed, "demonstration tasks");
  const { from, to } = taskSeeds.train;
  const rows: TokenRow[] = [];
  for (let i = 0; i < numEpisodes; i++) {
    if (i % 64 === 0) {
      await letSignalsIn();
      check();
    }
    let episode = family.start(from + tasks.int(to - from));
    const turns: TokenRow[] = [];
    while (episode.ending === "ongoing") {
      const rng = split(spec.seed, "demonstrations", i, episode.turn);
      const actions = episode.admissibleActions();
      const slip = rng.next() < initialisation.slipRate ? actions[rng.int(actions.length)] : undefined;
      const text = episode.expertResponse(rng, slip);
      const read = encode.shape === "windowed" ? episode.prompt(rollout.historyLength) : episode.continuation();
      turns.push({ prompt: encode.prompt(read), response: encode.response(text) });
      episode = episode.respond(text).episode;
    }
    rows.push(...toSequences(turns, encode.shape).map(toTokenRow));
  }
  return rows;
}
