import type { RewardSpec, RolloutShape } from "#trainer/spec/run.ts";
import { episodesOf, groupsOf, type Row } from "./row.ts";

/** Subtracts the turn penalty from every turn's reward, and so from the episode's. */
export function withTurnPenalty(rows: readonly Row[], turnPenalty: number): Row[] {
  if (turnPenalty === 0) return [...rows];
  const charged = [...rows];
  for (const episode of groupsOf(rows).flatMap(episodesOf)) {
    for (const [i, row] of episode) {
      const episodeReward = row.episodeReward - turnPenalty * episode.length;
      charged[i] = { ...row, reward: row.reward - turnPenalty, episodeReward };
    }
  }
  return charged;
}

export type TurnPenalties = Pick<RewardSpec, "invalidActionPenalty" | "overlongPenalty" | "overlongBuffer"> & {
  /** Response length in tokens at which generation is cut. */
  maxResponseTokens: number;
};

/** Penalty of one turn: for being invalid, and for approaching the length limit. At least 0. */
export function turnPenalty(row: Row, penalties: TurnPenalties): number {
  return (row.isValid ? 0 : penalties.invalidActionPenalty) + overlongCharge(row.numTokens, penalties);
}

/**
 * Soft overlong punishment (DAPO, arXiv:2503.14476 Eq. 13): 0 up to the buffer before the length limit L, then linearly
 * up to the whole penalty at L: (n − (L − L_b))/L_b · penalty. L_b is a whole number of tokens, rounded down as in the
 * released code, and at least one.
 */
export function overlongCharge(
  numTokens: number,
  { overlongPenalty, overlongBuffer, maxResponseTokens }: Omit<TurnPenalties, "invalidActionPenalty">,
): number {
  // A fraction such as 0.29 of 100 is 28.999… in floating point, and must give 29.
  const buffer = Math.max(1, Math.floor(overlongBuffer * maxResponseTokens + 1e-9));
  return Math.max(0, ((numTokens - (maxResponseTokens - buffer)) / buffer) * overlongPenalty);
}

/**
 * (B,) score of a turn before any baseline: the episode's reward, minus penalties. They are those of this turn where
 * every turn is a row, of all turns where the episode is one row.
 */
export function turnScores(
  rows: readonly Row[],
  penalties: TurnPenalties,
  shape: RolloutShape,
): Float64Array<ArrayBuffer> {
  const scores = Float64Array.from(rows, (row) => row.episodeReward - turnPenalty(row, penalties));
  if (shape === "windowed") return scores;
  for (const episode of groupsOf(rows).flatMap(episodesOf)) {
    const charged = episode.reduce((total, [, row]) => total + turnPenalty(row, penalties), 0);
    for (const [i, row] of episode) scores[i] = row.episodeReward - charged;
  }
  return scores;
}

export type KlController = { target: number | null; horizon: number };

/**
 * The coefficient of a KL in the reward for the next iteration (arXiv:1909.08593 §2.2):
 * β ← β·(1 + clip(KL/target − 1, ±0.2)·n/horizon), unchanged without a target.
 * @param kl measured, nats per token
 * @param numEpisodes n, episodes since the last change
 */
export function adaptKlCoef(
  coef: number,
  { kl, numEpisodes }: { kl: number; numEpisodes: number },
  { target, horizon }: KlController,
): number {
  if (target === null || !Number.isFinite(kl)) return coef;
  const error = Math.max(-0.2, Math.min(0.2, target === 0 ? Math.sign(kl) : kl / target - 1));
  return coef * (1 + (error * numEpisodes) / horizon);
}
