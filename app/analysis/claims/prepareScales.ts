import { groupBy } from "#packages/base";
import { isRate, writeDifference } from "#packages/statistics";
import type { AnsweredPart } from "#server/domain/analysis/claims/answer.ts";
import { findReach } from "#app/_ui/EffectBar.tsx";

/** Maximum of the bars' axis by unit, so that bars of all claims can be compared. */
export type Scales = ReadonlyMap<string | undefined, number | undefined>;

type Drawn = Pick<AnsweredPart, "unit" | "difference" | "interval">;

export function prepareScales(claims: readonly { parts: readonly Drawn[] }[]): Scales {
  const parts = claims.flatMap((claim) => claim.parts);
  return new Map([...groupBy(parts, ({ unit }) => unit)].map(([unit, alike]) => [unit, findReach(alike)]));
}

/** Writes the ends of the axes: "±2.30 SD, ±16.7 points". */
export function writeScales(scales: Scales): string {
  const written = [...scales].flatMap(([unit = "", reach]) => {
    if (reach === undefined) return [];
    const ends = writeDifference({ value: reach, interval: null }, { unit }).replace("+", "±");
    return `${ends} ${isRate({ unit }) ? "points" : unit}`.trimEnd();
  });
  return written.join(", ");
}
