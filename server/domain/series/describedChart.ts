import type { Chart } from "./chartData.ts";
import type { Metric } from "#trainer/spec/metric.ts";

/**
 * A chart that says itself what it shows, where the catalogue has no entry for it. `ofRun`: its lines are parts of this
 * one run, whose alarms and restarts belong to none of them.
 */
export type DescribedChart = Chart & { about?: Metric; ofRun?: string };
