import type { Unstudied } from "#server/api/reports/effects.ts";

/** Runs that a study leaves out, with reasons: "3 not over", "2 of other trainers, whose dimensions are not known". */
export function describeUnstudied({ numOpen, numSilent, numForeign, numRepeated, numStated }: Unstudied): string[] {
  return [
    ...(numOpen > 0 ? [`${numOpen} still in progress`] : []),
    ...(numSilent > 0 ? [`${numSilent} ended without values that the detector reads`] : []),
    ...(numStated > 0
      ? [
          `${numStated} are imported with a method stated by a person; other settings are assumed equal within an import unless stated`,
        ]
      : []),
    ...(numForeign > 0 ? [`${numForeign} of other trainers without stated dimensions`] : []),
    ...(numRepeated > 0 ? [`${numRepeated} of a configuration and seed that another sweep has too`] : []),
  ];
}
