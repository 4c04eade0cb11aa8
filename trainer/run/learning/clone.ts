import { familyOf, type TaskFamily } from "#trainer/environments/episode.ts";
import { warmupCosine } from "#trainer/objective/optimizer.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import { parameterShapes } from "#trainer/policy/parameters.ts";
import { taskSeeds } from "#trainer/spec/environment.ts";
import { split } from "#trainer/spec/rng.ts";
import type { RolloutShape, RunSpec } from "#trainer/spec/run.ts";
import { chunk, type TokenRow } from "./batch.ts";
import { letSignalsIn } from "#trainer/run/keeping/interrupt.ts";
import type { Learner, Weights } from "./learner.ts";
import type { Store } from "./store.ts";
import { toSequences, toTokenRow } from "./sequences.ts";
import { meanOf } from "#trainer/spec/averages.ts";
import { shuffled } from "./update.ts";

export type Cloning = {
  spec: RunSpec;
  learner: Learner;
  store: Store;
  /** Parameters to be trained, mutated in place. */
  parameters: Weights;
  config: PolicyConfig;
  /** Called before every optimizer step; throws when the run was asked to stop. */
  check: () => void;
};

/** Number of epochs and of optimizer steps of initialisation so far. */
export type Passes = { epoch: number; steps: number };

export type CloneEpoch = Passes & { values: { "clone/loss": number; "clone/tokenAccuracy": number } };

/**
 * Behaviour cloning: maximises the likelihood of given responses to given prompts. Yields after every epoch, counted
 * on from `before`. The optimizer starts without momentum. Its learning rate warms up linearly over the first tenth
 * of the steps and then decays as a cosine.
 */
export async function* clone(cloning: Cloning, rows: readonly TokenRow[], before: Passes): AsyncGenerator<CloneEpoch> {
  const { spec, learner, store, parameters, config, check } = cloning;
  const { initialisation } = spec;
  if (!("numEpisodes" in initialisation) || rows.length === 0) return;
  const { epochs, batchRows, learningRate: peak } = initialisation;
  const optimizer = store.makeOptimizer(spec.optimizer, parameterShapes(config));
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

export type Encoding = {
  shape: RolloutShape;
  prompt(words: string): Int32Array;
  /** Encodes a response. `family`: the task's environment. */
  response(text: string, family: TaskFamily): Int32Array;
};

/** Expert episodes with random slips on training tasks, as rows. Equally good moves are sampled at random. */
export async function demonstrate(
  { spec, family, encode }: { spec: RunSpec; family: TaskFamily; encode: Encoding },
  numEpisodes: number,
  check: () => void,
): Promise<TokenRow[]> {
  const { initialisation, rollout } = spec;
  if (!("numEpisodes" in initialisation)) return [];
  const tasks = split(spec.seed, "demonstration tasks");
  const { from, to } = taskSeeds.train;
  const rows: TokenRow[] = [];
  for (let i = 0; i < numEpisodes; i++) {
    if (i % 64 === 0) {
      await letSignalsIn();
      check();
    }
    const seed = from + tasks.int(to - from);
    const own = familyOf(family, seed);
    let episode = own.start(seed);
    const turns: TokenRow[] = [];
    while (episode.ending === "ongoing") {
      const rng = split(spec.seed, "demonstrations", i, episode.turn);
      const actions = episode.admissibleActions();
      const slip = rng.next() < initialisation.slipRate ? actions[rng.int(actions.length)] : undefined;
      const text = episode.expertResponse(rng, slip);
      const read = encode.shape === "windowed" ? episode.prompt(rollout.historyLength) : episode.continuation();
      turns.push({ prompt: encode.prompt(read), response: encode.response(text, own) });
      episode = episode.respond(text).episode;
    }
    rows.push(...toSequences(turns, encode.shape).map(toTokenRow));
  }
  return rows;
}
