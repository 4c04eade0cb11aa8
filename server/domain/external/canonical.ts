import { isMetricKey, metricKeys, metrics, type Metric, type MetricKey } from "#trainer/spec/metric.ts";

export type Dialect = "verl" | "trl";

const aliases: Readonly<Record<Dialect, ReadonlyMap<string, MetricKey>>> = {
  verl: tableOf("verl"),
  trl: tableOf("trl"),
};

function tableOf(dialect: Dialect): ReadonlyMap<string, MetricKey> {
  const namesOf = (metric: Metric): readonly string[] => metric[dialect] ?? [];
  return new Map(metricKeys.flatMap((key) => namesOf(metrics[key]).map((name) => [name, key] as const)));
}

/** The catalogue's key for a trainer's own; undefined where it has none. */
export function canonicalKey(key: string, dialect: Dialect): MetricKey | undefined {
  if (isMetricKey(key)) return key;
  const bare = dialect === "trl" ? key.replace(/^train\//, "") : key;
  const evaluated = dialect === "trl" && bare.startsWith("eval_") ? `eval/${bare.slice("eval_".length)}` : bare;
  return aliases[dialect].get(evaluated) ?? aliases[dialect].get(bare);
}

/** A value in the unit of the catalogue: verl's clocks count seconds, the catalogue's milliseconds. */
export function toCatalogueUnit(key: string, value: number): number {
  return key.startsWith("timing_s/") ? value * 1000 : value;
}

/** The way back, for who asks under the trainer's own key. */
export function fromCatalogueUnit(key: string, value: number): number {
  return key.startsWith("timing_s/") ? value / 1000 : value;
}
