import { describeMetric } from "#trainer/spec/metric.ts";
import { metricOf } from "#server/domain/runtable/field.ts";

/** Direction in which an outcome improves; "up" if it has none. */
export function directionOf(key: string): "up" | "down" {
  if (key === "collapsed") return "down";
  const metric = metricOf(key);
  return metric && describeMetric(metric.metric).better === "down" ? "down" : "up";
}
