import type { Advantage } from "#trainer/spec/dimensions.ts";
import { tokenAdvantages } from "../advantage.ts";
import type { Row } from "../row.ts";

/** Advantage of each row's first token, which all share without a critic; 0 without tokens. */
export function rowAdvantages(rows: readonly Row[], advantage: Advantage, invalidActionPenalty: number): number[] {
  const penalties = { invalidActionPenalty, overlongPenalty: 0, overlongBuffer: 0.2, maxResponseTokens: 16 };
  return tokenAdvantages({ rows, advantage, penalties, shape: "windowed" }).advantages.map((ofRow) => ofRow[0] ?? 0);
}
