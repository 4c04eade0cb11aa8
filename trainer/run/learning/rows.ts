import { turnScores, withTurnPenalty, type TurnPenalties } from "#trainer/objective/reward.ts";
import type { Row } from "#trainer/objective/row.ts";
import type { EpisodeRecord, TurnRecord } from "#trainer/run/acting/rollout.ts";
import { isValid, meanOf } from "#trainer/run/acting/summary.ts";
import type { RolloutShape, RunSpec } from "#trainer/spec/run.ts";

/** A turn with its place in the batch. */
export type PlacedTurn = {
  turn: TurnRecord;
  episode: EpisodeRecord;
  groupIndex: number;
  episodeIndex: number;
  /** Score of the greedy episode of its task, where one was played. */
  greedyScore?: number;
  /** Part of a mixture that the task belongs to. */
  part?: string;
};

/** @param entropies of the turn's tokens under the policy that sampled it, in nats */
export function toRow(
  { turn, episode, groupIndex, episodeIndex, greedyScore, part }: PlacedTurn,
  entropies: Float32Array,
): Row {
  return {
    group: groupIndex,
    episode: episodeIndex,
    turn: turn.turn,
    anchor: turn.anchor,
    reward: turn.reward,
    episodeReward: episode.episodeReward,
    isValid: isValid(turn),
    numTokens: turn.response.length,
    entropy: meanOf([...entropies]),
    ...(greedyScore !== undefined && { greedyScore }),
    ...(part !== undefined && { part }),
  };
}

export function penaltiesOf({ reward, rollout }: RunSpec): TurnPenalties {
  return { ...reward, maxResponseTokens: rollout.maxResponseTokens };
}

/** An episode's score minus its rows' penalties: the mean over its turns, which are all equal in a transcript. */
export function greedyScoreOf(episode: EpisodeRecord, spec: RunSpec, shape: RolloutShape): number {
  const turns = episode.turns.map((turn) =>
    toRow({ turn, episode, groupIndex: 0, episodeIndex: 0 }, turn.samplerEntropies),
  );
  return meanOf([...turnScores(withTurnPenalty(turns, spec.reward.turnPenalty), penaltiesOf(spec), shape)]);
}
