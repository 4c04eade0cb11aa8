import { type Difference, differenceOf, evidenceRules, type Looks } from "#packages/statistics";

/** Time at which a run was added to its launched sweep (null: planned), and at which it began. */
export type Drawn = { addedAt: Date | null; startedAt: Date | null };

/** One value per seed, and how the seeds were drawn; absent for seeds of a plan. */
export type Sampled = { values: readonly number[]; drawn?: readonly Drawn[] | undefined };

/** Information about the difference of two samples at each look. Runs without a value give none. */
export function findLooks(...sides: readonly Sampled[]): Looks {
  return looksWithin([sides.map(({ values, drawn = [] }) => drawn.filter((_, i) => Number.isFinite(values[i])))]);
}

/** Difference of two samples, with an interval and a p-value that allow for all looks. */
export function differenceBetween(x: Sampled, y: Sampled, metric: { unit: string }): Difference | undefined {
  return differenceOf(x.values, y.values, { unit: metric.unit, looks: findLooks(x, y) });
}

/** `allowed`: repeated p-values and intervals. `ignored`: no sound rule is known, or none is applied. */
export type LookRule = "allowed" | "ignored";

const lookTexts = {
  allowed: "p-values and intervals of differences allow for all looks before seeds were added (Lan and DeMets).",
  ignored:
    "p-values and intervals treat all seeds as planned: no rule corrects them for looks before seeds were added.",
} as const satisfies Record<LookRule, string>;

/** Says if a table's tests allow for looks; empty if nobody looked before seeds were added. */
export function tellLooks(runs: readonly Drawn[], rule: LookRule | undefined): string[] {
  return rule !== undefined && countLooks(runs) > 1 ? [lookTexts[rule]] : [];
}

/** Number of looks at these runs: 1, and 1 for each addition of seeds after a run had begun. */
export function countLooks(runs: readonly Drawn[]): number {
  return 1 + findCuts(runs).length;
}

/**
 * Information about a difference at each look, Σ 1 / Σ 1/n over strata, then groups. Empty if no seed was added after
 * a look.
 * @param minSeeds number of seeds of a group below which a look permitted no test
 */
export function looksWithin(
  strata: readonly (readonly (readonly Drawn[])[])[],
  minSeeds: number = evidenceRules.forIntervals,
): Looks {
  const cuts = findCuts(strata.flat(2));
  if (cuts.length === 0) return [];
  const counts = [...cuts, Infinity].map((cut) =>
    strata.map((groups) => groups.map((runs) => runs.filter(({ addedAt }) => (addedAt?.getTime() ?? 0) < cut).length)),
  );
  const looks = counts.flatMap((at) => {
    const totals = (at[0] ?? []).map((_, group) => at.reduce((sum, groups) => sum + (groups[group] ?? 0), 0));
    if (totals.some((n) => n < minSeeds)) return [];
    return [at.reduce((sum, groups) => sum + 1 / groups.reduce((inverse, n) => inverse + 1 / n, 0), 0)];
  });
  return looks.filter((information, i) => information > (looks[i - 1] ?? 0));
}

/** Times of the additions before which somebody may have looked: a run of the addition before had begun. */
function findCuts(runs: readonly Drawn[]): number[] {
  const times = [...new Set(runs.flatMap(({ addedAt }) => addedAt?.getTime() ?? []))].toSorted((a, b) => a - b);
  const cuts: number[] = [];
  let present = runs.filter(({ addedAt }) => addedAt === null);
  for (const time of times) {
    if (present.some(({ startedAt }) => startedAt !== null && startedAt.getTime() < time)) {
      cuts.push(time);
      present = [];
    }
    present = [...present, ...runs.filter(({ addedAt }) => addedAt?.getTime() === time)];
  }
  return cuts;
}
