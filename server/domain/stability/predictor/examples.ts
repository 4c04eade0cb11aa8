import type { Detector } from "../detector.ts";
import { isClear, isCollapse, type RunLabel } from "../label/label.ts";
import type { Point } from "../signals/point.ts";
import { rank } from "../verdict/status.ts";
import { readFeatures } from "./features.ts";

/** A finished run with its hindsight label; `group` is its mechanism or origin. */
export type LabelledRun = { group: string; points: readonly Point[]; label: RunLabel };

/** One step of a run: its features, and whether the run collapsed within the horizon. */
export type Example = { features: Float32Array; willCollapse: boolean; severity: 0 | 1 | 2 | 3 };

/** Prediction horizon in steps. */
export const horizon = 20;

/**
 * Steps of a run with known future: after the warm-up, before its collapse, and at least a horizon before its end.
 * Ambiguous runs give none. Iterations count from 0.
 */
export function toExamples({ points, label }: LabelledRun, detector: Detector, warmup = 20): Example[] {
  if (!isClear(label)) return [];
  const collapseStep = isCollapse(label) ? label.collapseStep : undefined;
  const examples: Example[] = [];
  let state = detector.start();
  for (const [step, point] of points.entries()) {
    const { state: next, reading } = detector.next(state, point);
    state = next;
    if (collapseStep !== undefined && step >= collapseStep) break;
    if (collapseStep === undefined && step + horizon >= points.length) break;
    if (!reading || step < warmup) continue;
    const willCollapse = collapseStep !== undefined && collapseStep - step <= horizon;
    examples.push({ features: readFeatures(state), willCollapse, severity: rank[reading.status] });
  }
  return examples;
}
