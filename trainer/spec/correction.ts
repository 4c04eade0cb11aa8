import type { Correction, CorrectionWeight, Rejection } from "./correctionSchema.ts";

// Defined in a file of its own, as for methods.
export type { Correction, CorrectionWeight, Rejection };

/** No correction, the meaning of an absent field. */
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
 * Correction that applies: the method's, or else the truncated importance sampling among the update's settings, which
 * older specifications use.
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

/** True if the correction compares the current policy with the sampler, again in every minibatch. */
export function readsCurrentPolicy({ proximal, reject }: Correction): boolean {
  return proximal !== "recomputed" || reject.some(({ kind }) => kind === "drift");
}
