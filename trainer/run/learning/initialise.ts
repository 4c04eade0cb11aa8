import type { TaskFamily } from "#trainer/environments/episode.ts";
import { spendingOf } from "#trainer/spec/budget.ts";
import type { Actor } from "#trainer/run/acting/actor.ts";
import { clone, demonstrate, type Cloning, type Encoding, type Passes } from "./clone.ts";
import { taskSeeds } from "#trainer/spec/environment.ts";
import { split } from "#trainer/spec/rng.ts";
import type { InitialisationSpec, RunSpec } from "#trainer/spec/run.ts";
import { chunk, type TokenRow } from "./batch.ts";
import { rollOut, type EpisodeRecord } from "#trainer/run/acting/rollout.ts";
import { toSequences, toTokenRow } from "./sequences.ts";
import { shareOf } from "#trainer/run/acting/summary.ts";

export type Initialisation = Cloning & {
  family: TaskFamily;
  /** Policy with the current parameters, which samples episodes for rejection fine-tuning. */
  actor: Actor;
  encode: Encoding;
};

/** Epochs and optimizer steps are counted over cloning and all rounds of rejection fine-tuning. */
export type InitialisationEpoch = Passes & { values: Readonly<Record<string, number>> };

export type InitialisationRemark = { level: "info" | "warning"; text: string };

/**
 * Initialises the policy: not at all, by cloning, or also by rejection fine-tuning. A round's sampling metrics are in
 * its first epoch.
 */
export async function* initialise(parts: Initialisation): AsyncGenerator<InitialisationEpoch | InitialisationRemark> {
  const { spec, family, actor, encode } = parts;
  const { initialisation } = spec;
  if (!("numEpisodes" in initialisation)) return;
  let done: Passes = { epoch: 0, steps: 0 };
  const numEpisodes = spendingOf(spec).numDemonstrations;
  const demonstrations = await demonstrate({ spec, family, encode }, numEpisodes, parts.check);
  for await (const pass of clone(parts, demonstrations, done)) {
    done = pass;
    yield pass;
  }
  if (initialisation.kind !== "rejection") return;
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

/** Result of one round of rejection sampling: training rows of the successful episodes, and metrics of all episodes. */
type RejectionRound = {
  kept: TokenRow[];
  values: { "rejection/successRate": number; "rejection/keptEpisodes": number };
};

/** Maximum number of episodes that are sampled together, which limits memory. */
const batchEpisodes = 512;

/** Rows of one episode for each of `numGenerated` training tasks, if successful and with only valid formats. */
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
