/** A configuration's settings distinguish it within a sweep only, so its groups are also by method and the like. */
const configuration = ["method", "configuration", "environment", "sweep"];

/** Adds the fields that "configuration" needs, so that no group merges methods, environments or sweeps. */
export function completeGroupBy(groupBy: readonly string[]): string[] {
  return [...new Set(groupBy.flatMap((key) => (key === "configuration" ? configuration : [key])))];
}
