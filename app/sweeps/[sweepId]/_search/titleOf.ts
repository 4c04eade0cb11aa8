import { describeMetric } from "#trainer/spec/metric.ts";
import type { Objective } from "#server/domain/plan/search/objective.ts";

/** Title of a search's objective. */
export function titleOf({ metric }: Pick<Objective, "metric">): string {
  return metric === "collapsed" ? "Share of runs that collapsed" : describeMetric(metric).title;
}
