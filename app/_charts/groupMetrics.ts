import { metricKeys } from "#trainer/spec/metric.ts";

/** Groups in the order in which one reads a run: does it solve tasks, then why or why not, then what it costs. */
const titles: Readonly<Record<string, string>> = {
  evaluation: "Evaluation on held-out tasks",
  rollout: "Training rollouts",
  policy: "Policy",
  loss: "Loss",
  update: "Updates",
  group: "Groups and sampling",
  advantage: "Advantages",
  clone: "Cloning before RL",
  time: "Time",
  throughput: "Throughput",
};

export type MetricGroup = { name: string; title: string; keys: string[] };

/** Metric keys by group, groups and keys in the catalogue's order; unknown ones at the end under their own names. */
export function groupMetrics(keys: readonly string[]): MetricGroup[] {
  const groups = new Map<string, string[]>(Object.keys(titles).map((name) => [name, []]));
  for (const key of keys) {
    const name = key.includes("/") ? key.slice(0, key.indexOf("/")) : "other";
    groups.set(name, [...(groups.get(name) ?? []), key]);
  }
  const place = new Map<string, number>(metricKeys.map((key, i) => [key, i]));
  return [...groups]
    .filter(([, members]) => members.length > 0)
    .map(([name, members]) => ({
      name,
      title: titles[name] ?? name,
      keys: members.sort((a, b) => (place.get(a) ?? metricKeys.length) - (place.get(b) ?? metricKeys.length)),
    }));
}
