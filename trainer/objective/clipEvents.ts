import type { Clipping } from "#trainer/spec/dimensions.ts";
import { clippingTraits, type ClippingTraits } from "#trainer/spec/traits.ts";

/** Bounds that act on one token. `isAbove` and `isBelow` concern the ratio alone, `isClipped` the loss. */
export type ClipEvents = { isClipped: boolean; isAbove: boolean; isBelow: boolean; isDual: boolean };

/** Bounds of a clipping kind, prepared for a loop over tokens. */
export type ClipRule = {
  /** Range of ratios without any effect of the bounds. */
  lowest: number;
  highest: number;
  clips: ClippingTraits["clips"];
  /** Upper bound of ratios with a negative advantage (dual clip); Infinity without one. */
  dual: number;
};

/** Kinds without a range report the usual one. */
const usualRange = { low: 0.2, high: 0.2 } as const;

export function clipRule(clipping: Clipping): ClipRule {
  const [lowest, highest] = ratioRange(clipping);
  // max(−A·w, −A·clip(w)) > −A·c with A < 0, that is max(w, lowest) > c; and c is at least 1.
  const dual = "dual" in clipping ? (clipping.dual ?? Infinity) : Infinity;
  return { lowest, highest, clips: clippingTraits[clipping.kind].clips, dual };
}

export function clipEvents({ lowest, highest, clips, dual }: ClipRule, ratio: number, advantage: number): ClipEvents {
  const isAbove = ratio > highest;
  const isBelow = ratio < lowest;
  const isPushed = (isAbove && advantage > 0) || (isBelow && advantage < 0);
  const isClipped = clips === "pushed" ? isPushed : clips === "outside" && (isAbove || isBelow);
  return { isClipped, isAbove, isBelow, isDual: advantage < 0 && ratio > dual };
}

function ratioRange(clipping: Clipping): readonly [lowest: number, highest: number] {
  const { low, high } = "low" in clipping ? clipping : usualRange;
  return clippingTraits[clipping.kind].range === "logRatio" ? [Math.exp(-low), Math.exp(high)] : [1 - low, 1 + high];
}
