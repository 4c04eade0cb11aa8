import type { Correction, CorrectionWeight, Rejection } from "#trainer/spec/correction.ts";

const weightWords: Record<CorrectionWeight["kind"], string> = { clip: "truncated", zero: "masked", raw: "raw" };
const levelWords: Record<CorrectionWeight["level"], string> = { token: "token", row: "turn", geometric: "geometric" };
const rejectionWords: Record<Rejection["kind"], string> = {
  token: "tokens",
  row: "turns",
  veto: "veto",
  secondMoment: "second moment",
  drift: "drift",
};
const proximalWords: Record<Correction["proximal"], string | undefined> = {
  recomputed: undefined,
  sampler: "bypass",
  interpolated: "interpolated",
};

/** "truncated token weight + rejects turns": a correction in a few words. */
export function describeCorrection({ proximal, weight, reject, step }: Correction): string {
  const proximalWord = proximalWords[proximal];
  const parts = [
    ...(proximalWord === undefined ? [] : [proximalWord]),
    ...(weight ? [`${weightWords[weight.kind]} ${levelWords[weight.level]} weight`] : []),
    ...(reject.length > 0
      ? [`rejects ${[...new Set(reject.map(({ kind }) => rejectionWords[kind]))].join(", ")}`]
      : []),
    ...(step ? ["scaled step"] : []),
  ];
  return parts.length === 0 ? "no correction" : parts.join(" + ");
}
