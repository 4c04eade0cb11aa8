import type { Advantage } from "#trainer/spec/dimensions.ts";
import { baselineOf } from "./baseline.ts";
import { groupsOf, type Row } from "./row.ts";

type ReinforcePlusPlus = Pick<Extract<Advantage, { kind: "reinforcePlusPlus" }>, "baseline" | "gamma">;

/**
 * REINFORCE++ advantages (arXiv:2501.03262): token returns, whitened over all tokens of the batch. Without a
 * baseline, a token's return is R_t = r_t + γ·R_{t+1}, where γ is 1 unless set. With the group's mean as baseline,
 * every token's return is the row's total reward minus that mean.
 * @param tokenRewards per row and response token; the row's score is on its last token
 * @returns per row and response token
 */
export function reinforcePlusPlus(
  rows: readonly Row[],
  tokenRewards: readonly Float64Array[],
  { baseline, gamma = 1 }: ReinforcePlusPlus,
): Float64Array[] {
  if (baseline === "none") return whiten(tokenRewards.map((rewards) => returnsToGo(rewards, gamma)));
  const returns = tokenRewards.map((rewards) => returnsToGo(rewards, 1));
  for (const group of groupsOf(rows)) {
    const { mean } = baselineOf(group.map(([i]) => returns[i]?.[0] ?? 0));
    for (const [i] of group) returns[i]?.fill((returns[i][0] ?? 0) - mean);
  }
  return whiten(returns);
}

function returnsToGo(rewards: Float64Array, gamma: number): Float64Array {
  const returns = rewards.slice();
  for (let t = returns.length - 2; t >= 0; t--) returns[t] = (returns[t] ?? 0) + gamma * (returns[t + 1] ?? 0);
  return returns;
}

/** (x − μ)/√(σ² + 1e-8) over all tokens of all rows; σ² is Bessel-corrected. `rows`: values per row and token. */
export function whiten(rows: readonly ArrayLike<number>[]): Float64Array[] {
  let [total, count] = [0, 0];
  for (const row of rows) {
    for (let t = 0; t < row.length; t++) total += row[t] ?? 0;
    count += row.length;
  }
  const mean = count > 0 ? total / count : 0;
  let squares = 0;
  for (const row of rows) for (let t = 0; t < row.length; t++) squares += ((row[t] ?? 0) - mean) ** 2;
  // The divisor count − 1 is at least 1, so that a single token is not divided by 0; its deviation is 0.
  const scale = 1 / Math.sqrt(squares / Math.max(count - 1, 1) + 1e-8);
  return rows.map((row) => Float64Array.from(row, (x) => (x - mean) * scale));
}
