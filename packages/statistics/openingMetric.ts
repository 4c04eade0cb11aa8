import { heldOutSuccess, trainingSuccess, metricKeys } from "#trainer/spec/metric.ts";

const success: readonly string[] = [...heldOutSuccess, ...trainingSuccess];

/**
 * Default metric of pages, tables and commands: success on held-out tasks, else in training, else the first logged
 * metric in the catalogue. If nothing was logged, success on held-out tasks. @param known metric keys that the runs
 * logged
 */
export function chooseMetric(known: readonly string[]): string {
  const logged = new Set(known);
  return [...success, ...metricKeys].find((key) => logged.has(key)) ?? known[0] ?? heldOutSuccess[0];
}

/**
 * Metrics of a page's first charts, the default metric first. If all runs are over, metrics without values are left
 * out, since none will arrive.
 */
export function chooseMetrics(usual: readonly string[], known: readonly string[], areOver: boolean): string[] {
  const first = chooseMetric(known);
  const rest = usual.filter((key) => key !== first && (!areOver || known.includes(key)));
  return [first, ...rest];
}
