import type { Curve } from "../series/series.ts";
import type { Duration } from "./survival.ts";

export type ThresholdCrossing =
  | {
      kind: "reached";
      /** First evaluation at or beyond the threshold. */
      iteration: number;
      /** Where the straight line from the evaluation before crosses it. */
      interpolated: number;
    }
  /** Right-censored: all that is known is that it took longer than this. */
  | { kind: "censored"; iteration: number };

export type ThresholdRule = { threshold: number; better?: "up" | "down"; persistence?: number };

/**
 * When a curve first reaches a threshold and stays for `persistence` evaluations (2 unless told, so that one lucky
 * evaluation does not count). Non-finite values never count as reached.
 */
export function stepsToThreshold(
  { iterations, values }: Curve,
  { threshold, better = "up", persistence = 2 }: ThresholdRule,
): ThresholdCrossing {
  const isBeyond = Array.from(values, (x) => (better === "up" ? x >= threshold : x <= threshold));
  const first = isBeyond.findIndex(
    (_, i) => i + persistence <= isBeyond.length && isBeyond.slice(i, i + persistence).every(Boolean),
  );
  if (first === -1) return { kind: "censored", iteration: iterations.at(-1) ?? 0 };
  const iteration = iterations[first] ?? 0;
  const [value = NaN, before = NaN] = [values[first], values[first - 1]];
  const isBetween = Number.isFinite(before) && Number.isFinite(value) && value !== before;
  const share = isBetween ? (value - threshold) / (value - before) : 0;
  return {
    kind: "reached",
    iteration,
    interpolated: iteration - share * (iteration - (iterations[first - 1] ?? iteration)),
  };
}

/** As input of a survival curve. Never average the runs that reached a threshold alone: they are the fast ones. */
export function toDuration(crossing: ThresholdCrossing): Duration {
  return { time: crossing.iteration, isEvent: crossing.kind === "reached" };
}
