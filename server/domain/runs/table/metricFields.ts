import { describeMetric } from "#trainer/spec/metric.ts";
import { checkpoints, type Checkpoint, type Field } from "./field.ts";

const rules: Record<Checkpoint, { title: string; meaning: string }> = {
  final: { title: "final", meaning: "Mean of the final window: the last 10 % of its evaluations, but at least 3." },
  best: { title: "best", meaning: "Its best evaluation, selected on the data it is reported on." },
  last: { title: "last", meaning: "Its last finite value after training began." },
};

/** Fields of a metric, one per checkpoint rule. */
export function metricFields(metric: string): Field[] {
  const { title, meaning } = describeMetric(metric);
  return checkpoints.map((rule) => ({
    key: `${rule}.${metric}`,
    title: `${title}, ${rules[rule].title}`,
    type: "number",
    group: "Metric",
    meaning: `${meaning} ${rules[rule].meaning}`,
  }));
}
