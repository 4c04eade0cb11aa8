/** One attempt of a run, as far as its use of slots can be read from storage. Iterations count as the log's x-axis does. */
export type AttemptUse = {
  runId: string;
  /** 1, 2, … within the run. */
  number: number;
  slots: number;
  /** Of its node; null: nobody knows. */
  pricePerSlotHour: number | null;
  /** Milliseconds from its launch to its first line, or to its end where it has none: a scheduler's queue and the start. */
  queuedMs: number;
  /** Milliseconds from its first line to its end or to now. */
  heldMs: number;
  /** The first iteration that it was to log; null before its first line. */
  firstIteration: number | null;
  /** The last one that it logged; null: none. */
  lastIteration: number | null;
  /** Where its run's success fell for good, in hindsight; null: it did not. */
  collapsedAt: number | null;
  /** Whether its run failed in the end. */
  isFailed: boolean;
};

/** Hours that slots were held, and their price; null where a node that was used has none, since a part of a sum is no sum. */
export type Spent = { slotHours: number; cost: number | null };

export type Account = {
  numRuns: number;
  numCollapsed: number;
  used: Spent;
  /** Of what was used: iterations after the run's collapse. */
  afterCollapse: Spent;
  /** Of what was used: iterations that a later attempt did again, attempts that logged none, runs that failed in the end. */
  again: Spent;
  /** Slots that waited in queues or started: nobody is charged for them. */
  queuedHours: number;
};

const hourMs = 3_600_000;

/**
 * What attempts used and how much of it was lost. Within an attempt an iteration counts as its share of the iterations that
 * it logged, as if each took equally long. What was done again is not counted as after a collapse once more.
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

/** @param parts slot-hours, each with the price of one */
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

/** Each attempt with the iteration from which a later attempt of its run went on; infinite where none did. */
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

/** Shares 0–1 of an attempt. */
function shareLost(attempt: AttemptUse, restart: number): { again: number; afterCollapse: number } {
  const { firstIteration: first, lastIteration: last, collapsedAt, isFailed } = attempt;
  if (isFailed) return { again: 1, afterCollapse: 0 };
  // Without an iteration it was in vain, unless it still runs or nothing followed it: a cancelled run is not a loss.
  if (first === null || last === null || last < first) {
    return { again: Number.isFinite(restart) ? 1 : 0, afterCollapse: 0 };
  }
  const numIterations = last - first + 1;
  const numKept = Math.min(numIterations, Math.max(0, restart - first));
  const numBefore = collapsedAt === null ? numKept : Math.min(numKept, Math.max(0, collapsedAt - first + 1));
  return { again: 1 - numKept / numIterations, afterCollapse: (numKept - numBefore) / numIterations };
}
