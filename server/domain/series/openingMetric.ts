import { metricKeys } from "#trainer/spec/metric.ts";
import { heldOutSuccess, trainingSuccess } from "#server/domain/stability/signals/point.ts";

const success: readonly string[] = [...heldOutSuccess, ...trainingSuccess];

/**
 * What pages, tables and commands show of some runs until a reader chooses: success on held-out tasks, else in training,
 * else the catalogue's first metric that they logged. Runs that logged nothing yet will most likely log the first.
 * @param known metric keys that the runs logged
 */
export function chooseMetric(known: readonly string[]): string {
  const logged = new Set(known);
  return [...success, ...metricKeys].find((key) => logged.has(key)) ?? known[0] ?? heldOutSuccess[0];
}

/**
 * Metrics of a page's first charts, the one that it opens on first. Of runs that are over those they never logged are
 * left out: no value will come.
 */
export function chooseMetrics(usual: readonly string[], known: readonly string[], areOver: boolean): string[] {
  const first = chooseMetric(known);
  const rest = usual.filter((key) => key !== first && (!areOver || known.includes(key)));
  return [first, ...rest];
}
