import { testEquivalence, type Equivalence, mean } from "#packages/statistics";
import { pairWithin, type WatchedRun } from "#server/domain/analysis/stability/survival.ts";

/** Equivalence margin: two methods count as equivalent if their success rates differ by less than this. */
export const equivalenceMargin = 0.05;

export type EquivalenceGroup = {
  group: string;
  runIds: readonly string[];
  /** Mean final success of the group, and of the baseline, over the pairs of runs. */
  success: number;
  baseline: number;
  test: Equivalence;
};

/** Tests if final success in every other group is equivalent to the baseline's, paired by seed and setting. */
export function reportEquivalence(runs: readonly WatchedRun[], baseline: string): EquivalenceGroup[] {
  const base = runs.filter(({ group }) => group === baseline);
  const others = [...new Set(runs.map(({ group }) => group))].filter((group) => group !== baseline);
  return others.flatMap((group): EquivalenceGroup[] => {
    const members = runs.filter((run) => run.group === group);
    const pairs = pairWithin(members, base).flatMap(({ x, y }) =>
      x.success === null || y.success === null ? [] : [{ ids: [x.runId, y.runId], x: x.success, y: y.success }],
    );
    if (pairs.length === 0) return [];
    const [x, y] = [pairs.map((pair) => pair.x), pairs.map((pair) => pair.y)];
    const runIds = pairs.flatMap(({ ids }) => ids);
    return [{ group, runIds, success: mean(x), baseline: mean(y), test: testEquivalence(x, y, equivalenceMargin) }];
  });
}
