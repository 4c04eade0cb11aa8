import { describeMetric } from "#trainer/spec/metric.ts";
import { metricOf } from "#server/domain/runtable/field.ts";

/** Whether more of an outcome is better; of what has no direction, more stands first. */
export function directionOf(key: string): "up" | "down" {
  if (key === "collapsed") return "down";
  const metric = metricOf(key);
  return metric && describeMetric(metric.metric).better === "down" ? "down" : "up";
}
