import { describeMetric } from "#trainer/spec/metric.ts";
import type { Objective } from "#server/domain/search/objective.ts";

/** What a search's objective is called. */
export function titleOf({ metric }: Pick<Objective, "metric">): string {
  return metric === "collapsed" ? "Share of runs that collapsed" : describeMetric(metric).title;
}
