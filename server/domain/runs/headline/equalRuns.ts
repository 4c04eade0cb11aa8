import { groupBy } from "#packages/base";

type Run = { runId: string; seed: number };
type Cell = { name: string; runs: readonly Run[] };

/** Groups of ids of runs that are equal at every step. */
export type EqualRuns = readonly (readonly string[])[];

/** Keeps one run of each group: equal seeds count as one. */
export function keepDistinct<One extends { runId: string }>(runs: readonly One[], groups: EqualRuns): One[] {
  const groupOf = indexGroups(groups);
  return runs.filter(({ runId }, i) => {
    const group = groupOf.get(runId);
    return group === undefined || runs.findIndex((other) => groupOf.get(other.runId) === group) === i;
  });
}

/** Returns a key that is equal for configurations whose runs are equal seed by seed; undefined without equals. */
export function curvesOf(runs: readonly Run[], groups: EqualRuns): string | undefined {
  const groupOf = indexGroups(groups);
  const keys = runs.map(({ runId, seed }) => `${seed}:${groupOf.get(runId) ?? runId}`).toSorted();
  return runs.length > 0 && runs.every(({ runId }) => groupOf.has(runId)) ? keys.join(" ") : undefined;
}

/** Describes equal seeds and equal configurations, which no comparison may count as agreement. */
export function describeEqualRuns(cells: readonly Cell[], groups: EqualRuns): string[] {
  const groupOf = indexGroups(groups);
  const seeds = cells.flatMap(({ name, runs }) =>
    [...groupBy(runs, ({ runId }) => groupOf.get(runId) ?? runId).values()]
      .filter((alike) => alike.length > 1)
      .map((alike) => {
        const listed = join(alike.map(({ seed }) => String(seed)));
        return `${name}: seeds ${listed} are equal at every step and count as one; the program may ignore its seed.`;
      }),
  );
  const known = cells.filter(({ runs }) => curvesOf(runs, groups) !== undefined);
  const configurations = [...groupBy(known, ({ runs }) => curvesOf(runs, groups)).values()]
    .filter((alike) => alike.length > 1)
    .map((alike) => {
      const names = join(alike.map(({ name }) => name));
      return `${names} are equal at every step: the program may ignore the setting in which they differ.`;
    });
  return [...seeds, ...configurations];
}

function indexGroups(groups: EqualRuns): Map<string, number> {
  return new Map(groups.flatMap((ids, index) => ids.map((id): [string, number] => [id, index])));
}

function join(items: readonly string[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}
