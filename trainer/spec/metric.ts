import { correctionMetrics, samplerMetrics } from "./metrics/sampler.ts";
import { costMetrics, hardwareMetrics } from "./metrics/hardware.ts";
import { criticMetrics, lossMetrics, updateMetrics } from "./metrics/loss.ts";
import { fraction, type Metric } from "./metrics/entry.ts";
import { behaviourMetrics } from "./metrics/behaviour.ts";
import { evaluationMetrics } from "./metrics/evaluation.ts";
import { cloneMetrics, rejectionMetrics } from "./metrics/initialisation.ts";
import { mismatchMetrics } from "./metrics/mismatch.ts";
import { partMetrics } from "./metrics/parts.ts";
import { policyMetrics } from "./metrics/policy.ts";
import { rewardMetrics, rolloutMetrics } from "./metrics/rollout.ts";
import { templateMetrics } from "./metrics/template.ts";

export type { Metric } from "./metrics/entry.ts";
export { strata, turnBins, type Stratum } from "./metrics/parts.ts";

/**
 * Catalogue of all metrics, by key `group/name`. A mean over minibatches is weighted by tokens, unless the metric's
 * description says otherwise.
 */
export const metrics = {
  ...rolloutMetrics,
  ...lossMetrics,
  ...policyMetrics,
  ...templateMetrics,
  ...samplerMetrics,
  ...correctionMetrics,
  ...mismatchMetrics,
  ...partMetrics,
  ...updateMetrics,
  ...criticMetrics,
  ...rewardMetrics,
  ...rejectionMetrics,
  ...evaluationMetrics,
  ...behaviourMetrics,
  ...cloneMetrics,
  ...costMetrics,
  ...hardwareMetrics,
} as const satisfies Record<string, Metric>;

export type MetricKey = keyof typeof metrics;
export const metricKeys = Object.keys(metrics).filter(isMetricKey);

export function isMetricKey(key: string): key is MetricKey {
  return Object.hasOwn(metrics, key);
}

/**
 * Groups of metrics whose names come from the environment, such as the success rate of each task type, with the end
 * of their titles.
 */
const taskGroups: ReadonlyMap<string, string> = new Map([
  ["taskSuccess", "held-out tasks"],
  ["unseenTaskSuccess", "tasks of kinds that never occur in training"],
]);

/** Returns the catalogue entry of a metric. For an unknown key, an entry is made from the key itself. */
export function describeMetric(key: string): Metric {
  if (isMetricKey(key)) return metrics[key];
  const [group = "", type = ""] = key.split("/");
  const [, by, where = "", measure = ""] =
    /^(evaluation\/elsewhere|evaluation\/in|rollout\/in)\/([^/]+)\/(\w+)$/.exec(key) ?? [];
  if (isMeasureIn(measure)) return describeIn(where, by === "rollout/in" ? "rollout" : "evaluation", measure);
  if (by === "rollout/in" && isFractionIn(measure)) return describeFraction(where, measure);
  const [, kind, k = ""] = (group === "evaluation" && /^(passAt|atLeast)(\d+)$/.exec(type)) || [];
  if (kind !== undefined) return kind === "passAt" ? describePass(k) : describeAtLeast(k);
  const tasks = taskGroups.get(group);
  return tasks === undefined
    ? {
        title: key,
        unit: "",
        better: "none",
        meaning: "Metric that the trainer logs under this name. The studio has no description of it.",
      }
    : fraction(
        `Success rate: ${type}${group === "taskSuccess" ? "" : " (unseen kinds)"}`,
        "up",
        `Success rate on ${tasks}, only tasks of type ${type}.`,
      );
}

const measuresIn = { successRate: "successRate", score: "score", turns: "episodeTurns" } as const;

function isMeasureIn(measure: string): measure is keyof typeof measuresIn {
  return Object.hasOwn(measuresIn, measure);
}

const fractionsIn = { generatedFraction: "before", keptFraction: "after" } as const;

function isFractionIn(measure: string): measure is keyof typeof fractionsIn {
  return Object.hasOwn(fractionsIn, measure);
}

/** Returns the entry of a component's fraction of the groups of rollouts. */
function describeFraction(name: string, measure: keyof typeof fractionsIn): Metric {
  const when = `${fractionsIn[measure]} the group filter`;
  return fraction(
    `Share of groups in ${name}, ${when}`,
    "none",
    `Share of the iteration's groups of rollouts whose task is in ${name}, ${when}.`,
  );
}

/** Returns the entry of a metric in another environment, component or phase, derived from the run's own metric. */
function describeIn(name: string, group: "rollout" | "evaluation", measure: keyof typeof measuresIn): Metric {
  const { title, meaning, ...rest } = metrics[`${group}/${measuresIn[measure]}`];
  return { ...rest, title: `${title} in ${name}`, meaning: `${meaning.slice(0, -1)}, in ${name}.` };
}

function describePass(k: string): Metric {
  return fraction(
    `Pass@${k}`,
    "up",
    `Probability that at least one of ${k} episodes solves a held-out task: an unbiased estimate from all episodes of the task, mean over tasks.`,
  );
}

function describeAtLeast(k: string): Metric {
  return fraction(`${k}@n`, "up", `Share of held-out tasks that were solved in at least ${k} of their n episodes.`);
}

/**
 * Metrics that measure success in training, in order of preference: the first one that is logged counts. The last one
 * is not a rate.
 */
export const trainingSuccess = [
  "rollout/successRate",
  "rollout/score",
  "rollout/returnMean",
] as const satisfies MetricKey[];
export const heldOutSuccess = [
  "evaluation/successRate",
  "evaluation/score",
  "evaluation/returnMean",
] as const satisfies MetricKey[];

/**
 * True for a metric of the initialisation (cloning, rejection fine-tuning), whose x-axis is the epoch instead of the
 * iteration.
 */
export function countsEpochs(key: string): boolean {
  return key.startsWith("clone/") || key.startsWith("rejection/");
}

/**
 * True for a metric of time or machine, which differs between repetitions of a run. All other metrics are
 * reproducible.
 */
export function isMeasured(key: string): boolean {
  return /^(time|throughput|memory|hardware)\//.test(key);
}
