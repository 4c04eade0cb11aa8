import { groupBy } from "#packages/base";
import { quantiles } from "#packages/statistics";
import { type Calibration, sizeOf } from "#server/domain/plan/sweep/estimate/calibration.ts";
import { estimateRunSeconds, type ModelSizes } from "#server/domain/plan/sweep/estimate/estimate.ts";
import { nameOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import type { CellSpec } from "#trainer/spec/run.ts";

/** Use of a compute node's slots by one attempt. Iterations are those on the x-axis of its log. */
export type AttemptUse = {
  runId: string;
  /** Number of the attempt within its run, starting with 1. */
  number: number;
  slots: number;
  /** Price per slot-hour of the attempt's node; null if unknown. */
  pricePerSlotHour: number | null;
  /** Milliseconds from launch to the first log line, or to the end if there is none: scheduler queue and start-up. */
  queuedMs: number;
  /** Milliseconds from the first log line to the attempt's end, or until now. */
  heldMs: number;
  /** First iteration that the attempt was to log; null before its first log line. */
  firstIteration: number | null;
  /** Last iteration that the attempt logged; null if it logged none. */
  lastIteration: number | null;
  /** Iteration of the run's collapse in hindsight; null if it did not collapse. */
  collapsedAt: number | null;
  /** True if the run failed and is not retried. */
  isFailed: boolean;
};

/** Slot-hours used and their price. The price is null if any node has none, because a partial sum would mislead. */
export type Spent = { slotHours: number; cost: number | null };

export type Account = {
  numRuns: number;
  numCollapsed: number;
  used: Spent;
  /** Slot-hours used after runs had collapsed. */
  afterCollapse: Spent;
  /** Slot-hours lost otherwise: repeated iterations, attempts without an iteration, failed runs. */
  again: Spent;
  /** Slot-hours of waiting in scheduler queues and of start-up, which are not part of `used`. */
  queuedHours: number;
};

const hourMs = 3_600_000;

/**
 * Sums the slot-hours of attempts, and the lost part of them. An attempt's time is divided equally among its logged
 * iterations. An iteration that is repeated counts only as repeated, even if it followed a collapse.
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

/** Sums slot-hours and their price; `parts` have slot-hours and price per slot-hour. */
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

/** Adds to each attempt the first iteration that a later attempt logged; Infinity if there is none. */
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

/** Returns the fractions (0–1) of an attempt's time that were lost (`again`), or spent after the collapse. */
function shareLost(attempt: AttemptUse, restart: number): { again: number; afterCollapse: number } {
  const { firstIteration: first, lastIteration: last, collapsedAt, isFailed } = attempt;
  if (isFailed) return { again: 1, afterCollapse: 0 };
  // An attempt without an iteration is wasted, unless it is live or the run's last: a cancelled run is not a loss.
  if (first === null || last === null || last < first) {
    return { again: Number.isFinite(restart) ? 1 : 0, afterCollapse: 0 };
  }
  const numIterations = last - first + 1;
  const numKept = Math.min(numIterations, Math.max(0, restart - first));
  const numBefore = collapsedAt === null ? numKept : Math.min(numKept, Math.max(0, collapsedAt - first + 1));
  return { again: 1 - numKept / numIterations, afterCollapse: (numKept - numBefore) / numIterations };
}

export type Measured = { spec: CellSpec; seconds: readonly number[] };

/**
 * Returns the ratio of measured to estimated time per environment and model size, to correct estimates. Runs without
 * an estimate are excluded: those of external trainers, and of pretrained models of unknown size.
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
    const environment = nameOfEnvironment(first.spec.environment);
    return [{ environment, size: sizeOf(first.spec.policy), numRuns: ratios.length, median, low, high }];
  });
}
