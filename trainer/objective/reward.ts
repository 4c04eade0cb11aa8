import type { RewardSpec, RolloutShape } from "#trainer/spec/run.ts";
import { episodesOf, groupsOf, type Row } from "./row.ts";

/** Subtracts `turnPenalty` from every turn's reward, and an episode's sum of them from its reward. */
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
  /** Response length in tokens at which sampling is cut off. */
  maxResponseTokens: number;
};

/** Penalty of one turn: for an invalid action, and for a response near the length limit; at least 0. */
export function turnPenalty(row: Row, penalties: TurnPenalties): number {
  return (row.isValid ? 0 : penalties.invalidActionPenalty) + overlongCharge(row.numTokens, penalties);
}

/**
 * Soft overlong punishment (DAPO, arXiv:2503.14476 Eq. 13): 0 for n ≤ L − L_b response tokens, then rising linearly
 * to the whole penalty at the length limit L: (n − (L − L_b))/L_b · penalty. The buffer L_b is rounded down to whole
 * tokens as in the released code, and is at least one token.
 */
export function overlongCharge(
  numTokens: number,
  { overlongPenalty, overlongBuffer, maxResponseTokens }: Omit<TurnPenalties, "invalidActionPenalty">,
): number {
  // 1e-9 corrects floating point: 0.29 · 100 is 28.999…, which must round down to 29.
  const buffer = Math.max(1, Math.floor(overlongBuffer * maxResponseTokens + 1e-9));
  return Math.max(0, ((numTokens - (maxResponseTokens - buffer)) / buffer) * overlongPenalty);
}

/**
 * (B,) score of each turn before any baseline: the episode's reward minus penalties. If each turn is a batch row,
 * these are the turn's own penalties; if an episode is a batch row, those of all its turns.
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
 * KL coefficient in the reward for the next iteration (arXiv:1909.08593 §2.2): β ← β·(1 + clip(KL/target − 1,
 * ±0.2)·n/horizon); unchanged without a target or a finite KL.
 * @param kl measured KL in nats per token
 * @param numEpisodes n, the number of episodes since the last change
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
