import type { Advantage } from "#trainer/spec/dimensions.ts";
import { empg } from "./empg.ts";
import { gigpo } from "./gigpo.ts";
import { groupRelative, leaveOneOut } from "./groupRelative.ts";
import { reinforcePlusPlus } from "./reinforcePlusPlus.ts";
import { rowScores, type Row } from "./row.ts";

/**
 * Advantages of all rows of an iteration, one per row: every token of a row shares it.
 * Statistics are taken over the rows given here, so all rows of a group must be present.
 * @param invalidActionPenalty taken from the score of every row that is not valid
 * @returns (B,)
 */
export function rowAdvantages(
  rows: readonly Row[],
  advantage: Advantage,
  invalidActionPenalty: number,
): Float64Array<ArrayBuffer> {
  const scores = rowScores(rows, invalidActionPenalty);
  switch (advantage.kind) {
    case "group":
      return groupRelative(rows, scores, advantage);
    case "rloo":
      return leaveOneOut(rows, scores);
    case "reinforcePlusPlus":
      return reinforcePlusPlus(rows, scores, advantage);
    case "gigpo":
      return gigpo(rows, scores, { ...advantage, invalidActionPenalty });
    case "empg":
      return empg(rows, scores, advantage);
    case "gae":
      throw new Error("advantages of kind gae need a critic's values, which rows do not carry");
  }
}
