import { median } from "#packages/statistics";
import { arcsineError, keep, medianNoise, noiseOf, toArcsine } from "./robust.ts";
import type { DetectorConfig } from "../config.ts";

/** State as plain JSON: recent values of success and reward, oldest first, and weight of evidence (`hits`). */
export type HackingState = { successes: readonly number[]; rewards: readonly number[]; hits: number };

export const noHacking: HackingState = { successes: [], rewards: [], hits: 0 };

type Input = { success: number; reward: number; numEffective: number };

/** Advances by one step. Evidence: success falls from one block of values to the next, but the reward does not. */
export function nextHacking(
  state: HackingState,
  { success, reward, numEffective }: Input,
  { hacking: { block, fall, rewardFall, hits } }: DetectorConfig,
): { state: HackingState; level: 0 | 2 } {
  const successes = keep(state.successes, success, 2 * block);
  const rewards = keep(state.rewards, reward, 2 * block);
  if (successes.length < 2 * block) return { state: { successes, rewards, hits: 0 }, level: 0 };
  const [before, after] = halves(successes, block);
  const error = Math.SQRT2 * arcsineError(numEffective, block);
  const isFalling = (toArcsine(before) - toArcsine(after)) / error >= fall;
  const isHit = isFalling && rewardZ(rewards, block) >= rewardFall;
  const count = isHit ? state.hits + 1 : Math.max(0, state.hits - 1);
  return { state: { successes, rewards, hits: count }, level: count >= hits ? 2 : 0 };
}

/** Change of the median reward between two successive blocks, in standard errors. */
function rewardZ(rewards: readonly number[], block: number): number {
  const [before, after] = halves(rewards, block);
  const error = (Math.SQRT2 * medianNoise * noiseOf(rewards)) / Math.sqrt(block);
  if (after === before) return 0;
  return error > 0 ? (after - before) / error : (after - before) * Infinity;
}

function halves(values: readonly number[], block: number): [before: number, after: number] {
  return [median(values, 0, block), median(values, block)];
}
