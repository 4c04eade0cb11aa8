import type { Level } from "../signals/channel.ts";
import type { SignGroup } from "../event.ts";

/** Weight of each group in the displayed index. */
const weights: Record<SignGroup, number> = {
  gradient: 0.8,
  ratio: 0.7,
  reference: 0.5,
  entropy: 0.5,
  length: 0.6,
  action: 0.9,
  reward: 0.5,
  hacking: 0.7,
  performance: 1,
};
const weightList = Object.entries(weights) as [SignGroup, number][];
const strength: Record<Level, number> = { 0: 0, 1: 0.25, 2: 0.6, 3: 0.9 };

/** Stability index 100 (1 − U) with U = 1 − Π(1 − weight × strength): 100 when all is calm. */
export function indexOf(levels: Partial<Record<SignGroup, Level>>): number {
  let calm = 100;
  for (const [group, weight] of weightList) {
    calm *= 1 - weight * strength[levels[group] ?? 0];
  }
  return calm;
}

/** Exponentially smoothed for display: four fifths of the previous value. */
export function nextIndex(before: number | null, levels: Partial<Record<SignGroup, Level>>): number {
  const now = indexOf(levels);
  return before === null ? now : 0.8 * before + 0.2 * now;
}
