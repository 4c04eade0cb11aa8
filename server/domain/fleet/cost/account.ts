import { groupBy } from "#packages/base";
import { quantiles } from "#packages/statistics";
import { type Calibration, sizeOf } from "#server/domain/plan/sweep/calibration.ts";
import { estimateRunSeconds, type ModelSizes } from "#server/domain/plan/sweep/estimate.ts";
import { nameOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import type { CellSpec } from "#trainer/spec/run.ts";

/** Slot usage of one attempt, as stored. Iterations are those of the log's x-axis. */
export type AttemptUse = {
  runId: string;
  /** Number of the attempt within its run, from 1. */
  number: number;
  slots: number;
  /** Price per slot-hour of its node; null if unknown. */
  pricePerSlotHour: number | null;
  /** Milliseconds from launch to the first log line (or to the end, if there is none): scheduler queue and start-up. */
  queuedMs: number;
  /** Milliseconds from the first log line to the attempt's end or to now. */
  heldMs: number;
  /** First iteration that the attempt was to log; null before its first line. */
  firstIteration: number | null;
  /** Last iteration that the attempt logged; null if none. */
  lastIteration: number | null;
  /** Iteration of the run's collapse in hindsight; null if it did not collapse. */
  collapsedAt: number | null;
  /** True if the run finally failed. */
  isFailed: boolean;
};

/** Slot-hours and their price; null if a node has no price, because a partial sum would mislead. */
export type Spent = { slotHours: number; cost: number | null };

export type Account = {
  numRuns: number;
  numCollapsed: number;
  used: Spent;
  /** Usage after the run's collapse. */
  afterCollapse: Spent;
  /** Wasted usage: iterations that a later attempt repeated, attempts without an iteration, failed runs. */
  again: Spent;
  /** Slot-hours in queues or start-up, which cost nothing. */
  queuedHours: number;
};

const hourMs = 3_600_000;

/**
 * Usage of attempts, and the part that was lost. An attempt's time is divided equally among its logged iterations.
 * Repeated iterations are not counted a second time as after a collapse.
 */
export function accountFor(attempts: readonly AttemptUse[]): Account {
  const parts = withRestarts(attempts).map(({ attempt, restart }) => {
    const { slots, heldMs, queuedMs, pricePerSlotHour: price } = attempt;
    const hours = (slots * heldMs) / hourMs;
    return { hours, price, queuedHours: (slots * queuedMs) / hourMs, ...shareLost(attempt, restart) };
  });
  const collapsed = attempts.filter(({ collapsedAt }) => collapsedAt !== null);
  return {
    numRuns: new Set(attempts.map(({ runId }) => runId)).size,
    numCollapsed: new Set(collapsed.map(({ runId }) => runId)).size,
    used: addUp(parts),
    afterCollapse: addUp(parts.map((part) => ({ ...part, hours: part.hours * part.afterCollapse }))),
    again: addUp(parts.map((part) => ({ ...part, hours: part.hours * part.again }))),
    queuedHours: parts.reduce((sum, part) => sum + part.queuedHours, 0),
  };
}

/** @param parts slot-hours and price per slot-hour */
export function addUp(parts: readonly { hours: number; price: number | null }[]): Spent {
  const paid = parts.filter(({ hours }) => hours > 0);
  return {
    slotHours: paid.reduce((sum, { hours }) => sum + hours, 0),
    cost: paid.reduce<number | null>(
      (sum, { hours, price }) => (sum === null || price === null ? null : sum + hours * price),
      0,
    ),
  };
}

/** Adds to each attempt the iteration from which a later attempt resumed; Infinity if there is none. */
function withRestarts(attempts: readonly AttemptUse[]): { attempt: AttemptUse; restart: number }[] {
  const restartOf = new Map<string, number>();
  return attempts
    .toSorted((a, b) => b.number - a.number)
    .map((attempt) => {
      const restart = restartOf.get(attempt.runId) ?? Infinity;
      const { firstIteration, lastIteration } = attempt;
      if (firstIteration !== null && lastIteration !== null) {
        restartOf.set(attempt.runId, Math.min(restart, firstIteration));
      }
      return { attempt, restart };
    });
}

/** Fractions (0–1) of an attempt that were lost: `again` (failed, or repeated later), and after the run's collapse. */
function shareLost(attempt: AttemptUse, restart: number): { again: number; afterCollapse: number } {
  const { firstIteration: first, lastIteration: last, collapsedAt, isFailed } = attempt;
  if (isFailed) return { again: 1, afterCollapse: 0 };
  // An attempt without an iteration was wasted, unless it is still live or the last one: a cancelled run is not a loss.
  if (first === null || last === null || last < first) {
    return { again: Number.isFinite(restart) ? 1 : 0, afterCollapse: 0 };
  }
  const numIterations = last - first + 1;
  const numKept = Math.min(numIterations, Math.max(0, restart - first));
  const numBefore = collapsedAt === null ? numKept : Math.min(numKept, Math.max(0, collapsedAt - first + 1));
  return { again: 1 - numKept / numIterations, afterCollapse: (numKept - numBefore) / numIterations };
}

/** Finished runs of one cell, with the seconds that each held its slots. */
export type Measured = { spec: CellSpec; seconds: readonly number[] };

/**
 * Measured time divided by the present estimate, per kind of run. Runs without an estimate are excluded: those of other
 * trainers, and of pretrained models of unknown size.
 */
export function calibrate(cells: readonly Measured[], models: ModelSizes = {}): Calibration[] {
  const estimated = cells.flatMap(({ spec, seconds }) => {
    const estimate = spec.trainer === undefined ? estimateRunSeconds(spec, models) : NaN;
    return Number.isNaN(estimate) ? [] : [{ spec, ratios: seconds.map((one) => one / estimate) }];
  });
  const kinds = groupBy(estimated, ({ spec }) =>
    JSON.stringify([nameOfEnvironment(spec.environment), sizeOf(spec.policy)]),
  );
  return [...kinds.values()].flatMap((kind) => {
    const ratios = kind.flatMap((one) => one.ratios);
    const [first] = kind;
    if (first === undefined || ratios.length === 0) return [];
    const [low = 0, median = 0, high = 0] = quantiles(ratios, [0.05, 0.5, 0.95]);
    const { environment, policy } = first.spec;
    return [
      { environment: nameOfEnvironment(environment), size: sizeOf(policy), numRuns: ratios.length, median, low, high },
    ];
  });
}
