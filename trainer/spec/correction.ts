import type { Correction, CorrectionWeight, Rejection } from "./correctionSchema.ts";

// The schema is a file of its own, as that of methods.
export type { Correction, CorrectionWeight, Rejection };

/** No correction, which is also what an absent one means. */
export const noCorrection: Correction = {
  proximal: "recomputed",
  weight: null,
  reject: [],
  denominator: "kept",
  step: null,
};

export function isCorrected(correction: Correction): boolean {
  const { proximal, weight, reject, step } = correction;
  return proximal !== "recomputed" || weight !== null || reject.length > 0 || step !== null;
}

/**
 * The correction that acts: the method's, or the truncated importance sampling of the update's settings, which is the
 * one that specifications knew before methods had any.
 */
export function correctionOf(
  method: { correction?: Correction },
  update: { truncatedImportance: number | null },
): Correction {
  if (method.correction) return method.correction;
  if (update.truncatedImportance === null) return noCorrection;
  const weight = {
    kind: "clip",
    low: null,
    high: update.truncatedImportance,
    level: "token",
    normalise: false,
  } as const;
  return { ...noCorrection, weight };
}

/** Whether the correction compares the current policy with the sampler, again at every mini-batch. */
export function readsCurrentPolicy({ proximal, reject }: Correction): boolean {
  return proximal !== "recomputed" || reject.some(({ kind }) => kind === "drift");
}
