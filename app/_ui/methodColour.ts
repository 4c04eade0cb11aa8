import { numHues } from "#server/domain/plan/sweep/methods/colours.ts";

/** Returns the CSS colour of the method (or run) with this index; twelve colours, repeated for further methods. */
export function methodColour(index: number): string {
  return `var(--series-${(index % numHues) + 1})`;
}
