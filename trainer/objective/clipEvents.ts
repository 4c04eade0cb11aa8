import type { Clipping } from "#trainer/spec/dimensions.ts";

/** Which bounds act on one token; `isAbove` and `isBelow` look at the ratio alone, `isClipped` at what the loss does. */
export type ClipEvents = { isClipped: boolean; isAbove: boolean; isBelow: boolean; isDual: boolean };

/** Kinds without a range of their own report the usual one. */
const usualRange = { low: 0.2, high: 0.2 } as const;

export function clipEvents(clipping: Clipping, ratio: number, advantage: number): ClipEvents {
  const [lowest, highest] = ratioRange(clipping);
  const isAbove = ratio > highest;
  const isBelow = ratio < lowest;
  const isHeld = (isAbove && advantage > 0) || (isBelow && advantage < 0);
  const isDual = "dual" in clipping && isDualClipped(clipping, ratio, advantage);
  return { isClipped: isClipped(clipping.kind, { isHeld, isOutside: isAbove || isBelow }), isAbove, isBelow, isDual };
}

/** `isHeld`: out of the range on the side that the advantage pushes to. */
function isClipped(kind: Clipping["kind"], { isHeld, isOutside }: { isHeld: boolean; isOutside: boolean }): boolean {
  switch (kind) {
    case "cispo":
      return isOutside;
    case "klCov":
      return false;
    case "token":
    case "sequence":
    case "sapo":
    case "aepo":
    case "geometricMean":
    case "clipCov":
      return isHeld;
  }
}

/** The ratios inside which a kind leaves a token alone. */
export function ratioRange(clipping: Clipping): readonly [lowest: number, highest: number] {
  if (clipping.kind === "geometricMean") return [Math.exp(-clipping.low), Math.exp(clipping.high)];
  const { low, high } = "low" in clipping ? clipping : usualRange;
  return [1 - low, 1 + high];
}

/** max(−A·w, −A·clip(w)) > −A·c with A < 0, that is max(w, 1 − low) > c. */
function isDualClipped({ dual, low }: { dual: number | null; low: number }, ratio: number, advantage: number): boolean {
  return dual !== null && advantage < 0 && Math.max(ratio, 1 - low) > dual;
}
