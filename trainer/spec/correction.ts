import type { Correction, CorrectionWeight, Rejection } from "./correctionSchema.ts";

// The schemas are in another file, so that browser code that imports this file does not load zod.
export type { Correction, CorrectionWeight, Rejection };

/** Off-policy correction without any effect; a method without the field `correction` has this one. */
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

/** Returns the correction that applies: the method's, or truncated importance sampling of older specifications. */
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

/** True if the correction reads the current policy's log-probabilities, which must be computed for every minibatch. */
export function readsCurrentPolicy({ proximal, reject }: Correction): boolean {
  return proximal !== "recomputed" || reject.some(({ kind }) => kind === "drift");
}
