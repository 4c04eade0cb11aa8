import type { Unstudied } from "#server/domain/analysis/claims/listStudied.ts";

/** Describes how many runs an analysis omits and why, and for how many a person stated the settings. */
export function describeUnstudied({ numOpen, numSilent, numForeign, numRepeated, numStated }: Unstudied): string[] {
  return [
    ...(numOpen > 0 ? [`${numOpen} still in progress`] : []),
    ...(numSilent > 0 ? [`${numSilent} ended without a metric that the detector reads`] : []),
    ...(numStated > 0
      ? [
          `${numStated} imported with a method that a person entered, whose other settings are assumed equal within an import`,
        ]
      : []),
    ...(numForeign > 0 ? [`${numForeign} of external trainers with an unknown method`] : []),
    ...(numRepeated > 0 ? [`${numRepeated} with the same configuration and seed as a run of another sweep`] : []),
  ];
}
