import type { Advantage } from "#trainer/spec/dimensions.ts";
import { baselineOf } from "./baseline.ts";
import { groupsOf, type Row } from "./row.ts";
import { whiten } from "./whiten.ts";

type ReinforcePlusPlus = Pick<Extract<Advantage, { kind: "reinforcePlusPlus" }>, "baseline">;

/**
 * Returns whitened over all tokens of the batch (REINFORCE++, arXiv:2501.03262). Without a baseline a token's return is
 * the undiscounted reward from there on; with the group's mean as baseline it is the row's sum less that mean.
 * @param tokenRewards per row, per response token, the row's score on its last token
 * @returns per row, per response token
 */
export function reinforcePlusPlus(
  rows: readonly Row[],
  tokenRewards: readonly Float64Array[],
  { baseline }: ReinforcePlusPlus,
): Float64Array[] {
  const returns = tokenRewards.map(returnsToGo);
  if (baseline === "none") return whiten(returns);
  for (const group of groupsOf(rows)) {
    const { mean } = baselineOf(group.map(([i]) => returns[i]?.[0] ?? 0));
    for (const [i] of group) returns[i]?.fill((returns[i][0] ?? 0) - mean);
  }
  return whiten(returns);
}

function returnsToGo(rewards: Float64Array): Float64Array {
  const returns = rewards.slice();
  for (let t = returns.length - 2; t >= 0; t--) returns[t] = (returns[t] ?? 0) + (returns[t + 1] ?? 0);
  return returns;
}
