import { describeMetric, metricKeys } from "#trainer/spec/metric.ts";

/** Title of each metric group in display order: first task success, then its causes, then the cost. */
const titles: ReadonlyMap<string, string> = new Map(
  Object.entries({
    evaluation: "Evaluation on held-out tasks",
    inEvaluation: "Evaluation by environment",
    elsewhere: "Evaluation in other environments",
    taskSuccess: "Success by type of task",
    unseenTaskSuccess: "Success by type of task, unseen types",
    behaviour: "Behaviour on held-out tasks",
    rollout: "Training rollouts",
    inRollout: "Training rollouts by environment",
    policy: "Policy",
    mismatch: "Mismatch of sampler and trainer",
    loss: "Loss",
    update: "Updates",
    strata: "Strata: advantage × ratio × entropy",
    turns: "By turn of the episode",
    correction: "Correction of the sampler mismatch",
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

/** Metric groups without a title of their own, mapped to the group under whose title they are shown. */
const joined: ReadonlyMap<string, string> = new Map(
  Object.entries({
    strataTokens: "strata",
    strataOutOfRange: "strata",
    strataKl: "strata",
    turnKl: "turns",
    turnEntropy: "turns",
  }),
);

/** Policy metrics grouped with the sampler–trainer mismatch: trainers with a separate inference engine log them. */
const ofMismatch = /^policy\/(sampler[A-Z]|staleness$|truncatedImportance)/;

/** Prefixes of metric keys that name one environment, with the group of each prefix. */
const places = [
  ["evaluation/elsewhere/", "elsewhere"],
  ["evaluation/in/", "inEvaluation"],
  ["rollout/in/", "inRollout"],
] as const;

export type MetricGroup = { name: string; title: string; keys: string[] };

/** Returns metric keys by group in display order, unknown groups last; within a group in the catalogue's order. */
export function groupMetrics(keys: readonly string[]): MetricGroup[] {
  const groups = new Map<string, string[]>([...titles.keys()].map((name) => [name, []]));
  for (const key of keys) {
    const prefix = key.includes("/") ? key.slice(0, key.indexOf("/")) : "other";
    const place = places.find(([start]) => key.startsWith(start))?.[1];
    const name = ofMismatch.test(key) ? "mismatch" : (place ?? joined.get(prefix) ?? prefix);
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

/** Returns the keys whose key and title contain every word; if there are none, meanings are searched, too. */
export function findMetrics(keys: readonly string[], search: string): string[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const find = (textOf: (key: string) => string) =>
    keys.filter((key) => words.every((word) => textOf(key).toLowerCase().includes(word)));
  const named = find((key) => `${key} ${describeMetric(key).title}`);
  return named.length > 0 ? named : find((key) => `${key} ${describeMetric(key).title} ${describeMetric(key).meaning}`);
}
