import type { Chart } from "./chartData.ts";
import type { Metric } from "#trainer/spec/metric.ts";

/**
 * A chart with its own description, for metrics without a catalogue entry. `ofRun`: its lines are parts of one run,
 * whose alarms and restarts apply to none of them.
 */
export type DescribedChart = Chart & { about?: Metric; ofRun?: string };
