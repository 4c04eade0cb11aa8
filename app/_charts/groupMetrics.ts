import { describeMetric, metricKeys } from "#trainer/spec/metric.ts";

/** Groups in the order in which one reads a run: does it solve tasks, then why or why not, then what it costs. */
const titles: ReadonlyMap<string, string> = new Map(
  Object.entries({
    evaluation: "Evaluation on held-out tasks",
    taskSuccess: "Success by type of task",
    unseenTaskSuccess: "Success by type of task, unseen kinds",
    rollout: "Training rollouts",
    policy: "Policy",
    mismatch: "Mismatch of sampler and trainer",
    loss: "Loss",
    update: "Updates",
    strata: "Strata: advantage × ratio × entropy",
    turns: "By turn of the episode",
    correction: "Correction for the sampler",
    template: "Do responses depend on prompts?",
    group: "Groups and sampling",
    advantage: "Advantages",
    critic: "Critic",
    reward: "Reward shaping",
    clone: "Cloning before RL",
    rejection: "Rejection fine-tuning before RL",
    time: "Time",
    throughput: "Throughput",
    memory: "Memory",
    hardware: "Hardware",
  }),
);

/** Groups of the catalogue that are read together. */
const joined: ReadonlyMap<string, string> = new Map(
  Object.entries({
    strataTokens: "strata",
    strataOutOfRange: "strata",
    strataKl: "strata",
    turnKl: "turns",
    turnEntropy: "turns",
  }),
);

/** Of the policy, and read beside the mismatch: what trainers with an inference engine of their own log of it. */
const ofMismatch = /^policy\/(sampler[A-Z]|staleness$|truncatedImportance)/;

export type MetricGroup = { name: string; title: string; keys: string[] };

/** Metric keys by group, groups and keys in the catalogue's order; unknown ones at the end under their own names. */
export function groupMetrics(keys: readonly string[]): MetricGroup[] {
  const groups = new Map<string, string[]>([...titles.keys()].map((name) => [name, []]));
  for (const key of keys) {
    const prefix = key.includes("/") ? key.slice(0, key.indexOf("/")) : "other";
    const name = ofMismatch.test(key) ? "mismatch" : (joined.get(prefix) ?? prefix);
    groups.set(name, [...(groups.get(name) ?? []), key]);
  }
  const order = new Map<string, number>(metricKeys.map((key, i) => [key, i]));
  return [...groups]
    .filter(([, members]) => members.length > 0)
    .map(([name, members]) => ({
      name,
      title: titles.get(name) ?? name,
      keys: members.sort((a, b) => (order.get(a) ?? metricKeys.length) - (order.get(b) ?? metricKeys.length)),
    }));
}

/** The keys whose key or title has every word of a search; where there is none, those whose meaning has. */
export function findMetrics(keys: readonly string[], search: string): string[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const find = (textOf: (key: string) => string) =>
    keys.filter((key) => words.every((word) => textOf(key).toLowerCase().includes(word)));
  const named = find((key) => `${key} ${describeMetric(key).title}`);
  return named.length > 0 ? named : find((key) => `${key} ${describeMetric(key).title} ${describeMetric(key).meaning}`);
}
