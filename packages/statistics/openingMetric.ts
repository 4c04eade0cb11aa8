import { countsEpochs, heldOutSuccess, trainingSuccess, metricKeys } from "#trainer/spec/metric.ts";

const success: readonly string[] = [...heldOutSuccess, ...trainingSuccess];

/**
 * Chooses the default metric of pages, tables and commands: success on held-out tasks, or else in training. If
 * neither is logged: the first logged metric of the catalogue, or of `known`, or held-out success. Metrics of the
 * initialisation are never chosen, because they say nothing about training.
 * @param known keys of the logged metrics
 */
export function chooseMetric(known: readonly string[]): string {
  const logged = new Set(known.filter((key) => !countsEpochs(key)));
  return [...success, ...metricKeys, ...logged].find((key) => logged.has(key)) ?? heldOutSuccess[0];
}

/**
 * Chooses the metric that sums up runs of other trainers, which may log different ones: the success metric that the
 * largest number of runs has. `counts`: number of runs by key.
 */
export function chooseSharedMetric(counts: ReadonlyMap<string, number>): string {
  const known = [...counts.keys()].filter((key) => success.includes(key));
  const largest = Math.max(...known.map((key) => counts.get(key) ?? 0));
  return chooseMetric(known.length === 0 ? [...counts.keys()] : known.filter((key) => counts.get(key) === largest));
}

/**
 * A page's first charts, the default one first. Once all runs are over, metrics without values are left out.
 * @param known keys of the logged metrics, the one that sums up the runs first
 */
export function chooseMetrics(usual: readonly string[], known: readonly string[], areOver: boolean): string[] {
  const first = known.find((key) => areOver || !countsEpochs(key)) ?? chooseMetric([]);
  const rest = usual.filter((key) => key !== first && (!areOver || known.includes(key)));
  return [first, ...rest];
}
