import { meanOf } from "#trainer/spec/averages.ts";
import { turnScores, withTurnPenalty, type TurnPenalties } from "#trainer/objective/reward.ts";
import type { Row } from "#trainer/objective/row.ts";
import type { EpisodeRecord, TurnRecord } from "#trainer/run/acting/rollout.ts";
import { isValid } from "#trainer/run/acting/summary.ts";
import type { RolloutShape, RunSpec } from "#trainer/spec/run.ts";

/** Turn with its episode and its position in the batch. */
export type PlacedTurn = {
  turn: TurnRecord;
  episode: EpisodeRecord;
  groupIndex: number;
  episodeIndex: number;
  /** Score of the greedily decoded episode of the same task, if one was played. */
  greedyScore?: number;
  /** Component environment of a mixture, or phase of a curriculum, that contains the task. */
  part?: string;
};

/** Converts a turn to a row. `entropies`: of each response token under the policy that sampled the turn, in nats. */
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

/** Greedy episode's reward minus its mean penalty per turn; in a transcript, each turn has the penalty of the row. */
export function greedyScoreOf(episode: EpisodeRecord, spec: RunSpec, shape: RolloutShape): number {
  const turns = episode.turns.map((turn) =>
    toRow({ turn, episode, groupIndex: 0, episodeIndex: 0 }, turn.samplerEntropies),
  );
  return meanOf([...turnScores(withTurnPenalty(turns, spec.reward.turnPenalty), penaltiesOf(spec), shape)]);
}
