import type { TaskFamily } from "#trainer/environments/episode.ts";
import { makeAdamW } from "#trainer/objective/optimizer.ts";
import { warmupCosine } from "#trainer/objective/schedule.ts";
import { taskSeeds } from "#trainer/spec/environment.ts";
import { split } from "#trainer/spec/rng.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { chunk, type TokenRow } from "./batch.ts";
import type { Learner, Parameters } from "./learner.ts";
import { meanOf } from "./summary.ts";
import { shuffled } from "./update.ts";

type Cloning = {
  spec: RunSpec;
  learner: Learner;
  /** Changed in place. */
  parameters: Parameters;
  shapes: Readonly<Record<string, readonly number[]>>;
};

export type CloneEpoch = {
  epoch: number;
  steps: number;
  values: { "clone/loss": number; "clone/tokenAccuracy": number };
};

/**
 * Behaviour cloning: maximum likelihood of the expert's responses, in the prompts the policy will see. Yields after
 * every epoch. The learning rate warms up linearly over a tenth of the steps and decays as a cosine.
 */
export async function* clone(cloning: Cloning, demonstrations: readonly TokenRow[]): AsyncGenerator<CloneEpoch> {
  const { spec, learner, parameters, shapes } = cloning;
  const { initialisation } = spec;
  if (initialisation.kind === "scratch") return;
  const { epochs, batchRows, learningRate } = initialisation;
  const optimizer = makeAdamW(spec.optimizer, shapes);
  const numSteps = epochs * Math.ceil(demonstrations.length / batchRows);
  let step = 0;
  for (let epoch = 1; epoch <= epochs; epoch++) {
    const losses: number[] = [];
    const accuracies: number[] = [];
    for (const batch of chunk(shuffled(demonstrations, split(spec.seed, "cloning", epoch)), batchRows)) {
      const { gradients, loss, tokenAccuracy } = await learner.cloneGradient(parameters, batch);
      optimizer.step(parameters, gradients, warmupCosine({ peak: learningRate, numSteps, warmupFraction: 0.1 }, step));
      losses.push(loss);
      accuracies.push(tokenAccuracy);
      step++;
    }
    yield { epoch, steps: step, values: { "clone/loss": meanOf(losses), "clone/tokenAccuracy": meanOf(accuracies) } };
  }
}

/** Expert episodes on training tasks, one row per turn. Equally short solutions are chosen among at random. */
export function demonstrate(
  spec: RunSpec,
  family: TaskFamily,
  encode: { prompt(text: string): Int32Array; response(text: string): Int32Array },
): TokenRow[] {
  const { initialisation, rollout } = spec;
  if (initialisation.kind === "scratch") return [];
  const tasks = split(spec.seed, "demonstration tasks");
  const { from, to } = taskSeeds.train;
  const rows: TokenRow[] = [];
  for (let i = 0; i < initialisation.numEpisodes; i++) {
    let episode = family.start(from + tasks.int(to - from));
    while (episode.ending === "ongoing") {
      const rng = split(spec.seed, "demonstrations", i, episode.turn);
      const actions = episode.admissibleActions;
      const slip = rng.next() < initialisation.slipRate ? actions[rng.int(actions.length)] : undefined;
      const text = episode.expertResponse(rng, slip);
      rows.push({ prompt: encode.prompt(episode.prompt(rollout.historyLength)), response: encode.response(text) });
      episode = episode.respond(text).episode;
    }
  }
  return rows;
}
