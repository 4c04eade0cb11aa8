import type { Correction, CorrectionWeight, Rejection } from "#trainer/spec/correction.ts";

const weightWords: Record<CorrectionWeight["kind"], string> = { clip: "truncated", zero: "masked", raw: "raw" };
const levelWords: Record<CorrectionWeight["level"], string> = { token: "token", row: "turn", geometric: "geometric" };
/** Titles of a correction's parts in the builder's menus. */
export const correctionTitles = {
  proximal: {
    recomputed: "The trainer's own",
    sampler: "The sampler (bypass)",
    interpolated: "Between, by age",
  } satisfies Record<Correction["proximal"], string>,
  denominator: { kept: "What is kept", all: "Everything" } satisfies Record<Correction["denominator"], string>,
  weight: { clip: "Truncated", zero: "Masked outside", raw: "Unbounded" } satisfies Record<
    CorrectionWeight["kind"],
    string
  >,
  reject: {
    token: "Tokens by their statistic",
    row: "Turns by a statistic",
    veto: "Turns with one far token",
    secondMoment: "Tokens by second moment (M2PO)",
    drift: "Failing turns by drift",
  } satisfies Record<Rejection["kind"], string>,
} as const;

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

/** A short description of a correction: "truncated token weight + rejects turns". */
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
