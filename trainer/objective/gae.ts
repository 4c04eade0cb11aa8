import { episodesOf, groupsOf, type IndexedRow, type Row } from "./row.ts";
import { cutTurns, joinTurns } from "./sequenceMask.ts";

type Discounts = { gamma: number; lambda: number };

/**
 * Generalised advantage estimation (arXiv:1506.02438 Eq. 16) over one sequence; the value after its end is 0. δ_t =
 * r_t + γ·V_{t+1} − V_t, A_t = δ_t + γ·λ·A_{t+1}.
 * @param rewards (T,) reward of each step, a token or a turn
 * @param values (T,) critic's value of the state before each step
 * @returns (T,) advantages
 */
export function gae(rewards: ArrayLike<number>, values: ArrayLike<number>, { gamma, lambda }: Discounts): Float64Array {
  const advantages = new Float64Array(rewards.length);
  let [nextValue, nextAdvantage] = [0, 0];
  for (let t = rewards.length - 1; t >= 0; t--) {
    const value = values[t] ?? 0;
    nextAdvantage = (rewards[t] ?? 0) + gamma * nextValue - value + gamma * lambda * nextAdvantage;
    nextValue = value;
    advantages[t] = nextAdvantage;
  }
  return advantages;
}

export type TokenEstimates = {
  /** Advantages per turn and response token, before whitening over the batch. */
  advantages: Float64Array[];
  /** Regression targets of the critic: advantage plus value. */
  returns: Float32Array[];
};

type RowRewards = {
  rows: readonly Row[];
  /** The critic's values before the update, per turn and response token. */
  values: readonly Float32Array[];
  /** Rewards of single tokens, such as a KL penalty, per turn and response token; without the environment's rewards. */
  tokenRewards: readonly Float64Array[];
};

/**
 * GAE over the tokens of every training sequence, which is a single turn or a whole episode.
 * @param rewards per turn and response token
 * @param values the critic's values before the update, per turn and response token
 */
export function sequenceGae(
  {
    sequences,
    values,
    rewards,
  }: { sequences: readonly IndexedRow[][]; values: readonly Float32Array[]; rewards: readonly Float64Array[] },
  discounts: Discounts,
): TokenEstimates {
  const joined = joinTurns(sequences, values);
  const advantages = joinTurns(sequences, rewards).map((rewardsOfRow, i) =>
    gae(rewardsOfRow, joined[i] ?? [], discounts),
  );
  return withReturns(cutTurns(sequences, advantages), values);
}

/**
 * Bi-level GAE (RAGEN, arXiv:2504.20073). The first level runs over an episode's turns, with the value at each turn's
 * last token and the turn's reward. The second level runs over each turn's tokens, with the first level's target as
 * reward of the last token. Unlike in RAGEN, turns without a reward are not merged.
 * @param turnRewards (B,) reward of each turn minus its penalties
 */
export function turnGae(
  rewards: RowRewards,
  turnRewards: Float64Array,
  { tokens, turns }: { tokens: Discounts; turns: Discounts },
): TokenEstimates {
  const { rows, values, tokenRewards } = rewards;
  const targets = new Float64Array(rows.length);
  for (const episode of groupsOf(rows).flatMap(episodesOf)) {
    const ends = episode.map(([i]) => values[i]?.at(-1) ?? 0);
    const rewardsOfTurns = episode.map(([i]) => turnRewards[i] ?? 0);
    const advantages = gae(rewardsOfTurns, ends, turns);
    for (const [k, [i]] of episode.entries()) targets[i] = (advantages[k] ?? 0) + (ends[k] ?? 0);
  }
  const perToken = withFinal(tokenRewards, targets).map((ofRow, i) => gae(ofRow, values[i] ?? [], tokens));
  return withReturns(perToken, values);
}

function withReturns(advantages: Float64Array[], values: readonly Float32Array[]): TokenEstimates {
  const returns = advantages.map((ofRow, i) => Float32Array.from(ofRow, (x, t) => x + (values[i]?.[t] ?? 0)));
  return { advantages, returns };
}

/** Returns token rewards per turn, with each turn's final reward added to its last token. */
export function withFinal(tokenRewards: readonly Float64Array[], finals: Float64Array): Float64Array[] {
  return tokenRewards.map((ofTurn, i) => {
    const rewards = ofTurn.slice();
    const last = rewards.length - 1;
    if (last >= 0) rewards[last] = (rewards[last] ?? 0) + (finals[i] ?? 0);
    return rewards;
  });
}
