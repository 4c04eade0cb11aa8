import { groupBy } from "#packages/base";
import {
  type Bounded,
  type Curve,
  type Difference,
  finalWindow,
  holm,
  type Spread,
  spreadOf,
} from "#packages/statistics";
import { describeMetric } from "#trainer/spec/metric.ts";
import type { StoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import { differenceBetween, type Sampled } from "#server/domain/runs/looks.ts";
import { findNeeded, type Needed } from "#server/domain/runs/neededSeeds.ts";
import { taskOf } from "#server/domain/runs/headline/tasks.ts";

/** Final value of a configuration over its seeds. `difference`: from the first; undefined for the first. */
export type ComparedValue = Spread & {
  difference?: Difference | undefined;
  /** p of the difference after Holm's correction over all differences of the task; null without a test. */
  correctedP: number | null;
  /** Seeds that would decide a difference that is not significant; undefined for others. */
  needed?: Needed | undefined;
};

/** Compares configurations by one final value per seed. Intervals are not corrected for multiple comparisons. */
export function compareValues(samples: readonly Sampled[], metric: Bounded): ComparedValue[] {
  const [first = { values: [] }] = samples;
  const differences = samples.map((sample, i) => (i === 0 ? undefined : differenceBetween(sample, first, metric)));
  const corrected = holm(differences.map((difference) => difference?.p ?? NaN));
  return samples.map((sample, i) => {
    const p = corrected[i] ?? NaN;
    const correctedP = Number.isNaN(p) ? null : p;
    const needed = p >= 0.05 ? findNeeded(sample, first, metric) : undefined;
    return { ...spreadOf(sample.values, metric), difference: differences[i], correctedP, needed };
  });
}

export type ComparedFinal = ComparedValue & {
  cellId: number;
  /** Cell id of the baseline configuration in the same task. */
  baselineId: number;
};

/** Configuration with a final value for each of its seeds. */
type Valued = Sampled & { cellId: number; method: string; label: string; spec: StoredSpec };

export const finalOf = (curve: Curve | undefined): number => (curve ? finalWindow(curve).value : NaN);

/**
 * Compares configurations with the baseline cell (if absent, the first). A task without it uses a configuration of the
 * same method (if possible, the same label), or else its first. Proofs contain intervals that are not clipped at 0.
 */
export function compareFinals(
  configurations: readonly Valued[],
  { metric, baseline, isClipped = true }: { metric: string; baseline?: number | undefined; isClipped?: boolean },
): ComparedFinal[] {
  const { unit, min } = describeMetric(metric);
  const chosen = configurations.find(({ cellId }) => cellId === baseline);
  const finals = new Map<number, ComparedFinal>();
  for (const inside of groupBy(configurations, ({ spec }) => taskOf(spec, metric)).values()) {
    const from =
      inside.find((one) => one === chosen) ??
      inside.find(({ method, label }) => method === chosen?.method && label === chosen.label) ??
      inside.find(({ method }) => method === chosen?.method) ??
      inside[0];
    const compared = inside.toSorted((a, b) => Number(b === from) - Number(a === from));
    for (const [i, value] of compareValues(compared, isClipped ? { unit, min } : { unit }).entries()) {
      const cellId = compared[i]?.cellId ?? 0;
      finals.set(cellId, { ...value, cellId, baselineId: from?.cellId ?? cellId });
    }
  }
  return configurations.flatMap(({ cellId }) => finals.get(cellId) ?? []);
}
