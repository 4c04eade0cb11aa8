import type { LoggedStep } from "#packages/trainers";
import type { TrackedMetric } from "#server/domain/trainers/mlflow/store.ts";
import type { Journal } from "#server/engine/trainers/journal.ts";

/**
 * Chooses one source for each metric of an attempt, because a program may print a value and also log it over the
 * tracking protocol. Logged values are preferred: they have exact steps and full precision. A printed value waits
 * `graceMs` for a logged value of its metric. From the first logged step on, printed values of that metric are dropped.
 * Earlier printed values stay, and a logged value of the same step is not stored again.
 */
export type Measurements = {
  addRead(step: LoggedStep): void;
  addSent(metrics: readonly TrackedMetric[]): Promise<void>;
  look(nowMs: number): void;
  /** Stores every remaining value; throws if that fails. Returns the metrics that were both printed and logged. */
  finish(): Promise<readonly string[]>;
};

type Held = TrackedMetric & { sinceMs: number };

const graceMs = 2000;

export function makeMeasurements(journal: Pick<Journal, "append">): Measurements {
  const choice = makeChoice();
  let failure: unknown;
  const write = async (metrics: readonly TrackedMetric[]): Promise<void> => {
    if (metrics.length > 0) await journal.append(metrics);
  };
  const writeRead = (metrics: readonly TrackedMetric[]): Promise<void> =>
    write(metrics).catch((error: unknown) => {
      failure ??= error;
    });
  return {
    addRead: (step) => void writeRead(choice.addRead(step, Date.now())),
    addSent: async (metrics) => {
      void writeRead(choice.releaseBefore(metrics));
      await write(choice.addSent(metrics));
    },
    look: (nowMs) => void writeRead(choice.releaseLate(nowMs)),
    finish: async () => {
      await writeRead(choice.releaseAll());
      if (failure !== undefined) throw new Error("measurements could not be written", { cause: failure });
      return choice.doubled();
    },
  };
}

/** Renames the metrics listed in `summed` to `NAME_sum`, so that sums are not mistaken for means. */
export function renameSummed(measurements: Measurements, summed: readonly string[]): Measurements {
  if (summed.length === 0) return measurements;
  const nameOf = (key: string): string => (summed.includes(key) ? `${key}_sum` : key);
  return {
    ...measurements,
    addRead: ({ values, ...step }) => {
      const renamed = Object.entries(values).map(([key, value]) => [nameOf(key), value] as const);
      measurements.addRead({ ...step, values: Object.fromEntries(renamed) });
    },
    addSent: (metrics) => measurements.addSent(metrics.map((metric) => ({ ...metric, key: nameOf(metric.key) }))),
  };
}

/** Drops a branch's measurements of steps before `after`, where it continues; aborts `early` at the first of them. */
export function refuseEarly(measurements: Measurements, after: number, early: AbortController): Measurements {
  const isLate = ({ step }: { step: number }): boolean => {
    if (step < after) early.abort();
    return step >= after;
  };
  return {
    ...measurements,
    addRead: (step) => isLate(step) && measurements.addRead(step),
    addSent: (metrics) => measurements.addSent(metrics.filter(isLate)),
  };
}

/** Makes the choice of a source for each metric. Each method returns the values that are to be written now. */
function makeChoice() {
  /** First step logged over the tracking protocol, by metric. */
  const sentFrom = new Map<string, number>();
  /** Steps whose printed values are already stored, by metric. */
  const readSteps = new Map<string, Set<number>>();
  const doubled = new Set<string>();
  let held: Held[] = [];

  /** Returns the waiting printed values that satisfy the condition, and stops waiting for them. */
  const release = (isReleased: (one: Held) => boolean): Held[] => {
    const released = held.filter(isReleased);
    held = held.filter((one) => !isReleased(one));
    return store(released);
  };
  const store = <Metric extends TrackedMetric>(metrics: Metric[]): Metric[] => {
    for (const { key, step } of metrics) {
      const name = nameOf(key);
      const steps = readSteps.get(name) ?? new Set();
      readSteps.set(name, steps.add(step));
    }
    return metrics;
  };
  return {
    addRead({ step, values, atMs }: LoggedStep, nowMs: number): TrackedMetric[] {
      const decided: TrackedMetric[] = [];
      for (const [key, value] of Object.entries(values)) {
        const name = nameOf(key);
        const metric = { key, value, step, timestampMs: atMs ?? nowMs };
        const isSent = step >= (sentFrom.get(name) ?? Infinity);
        if (isSent) doubled.add(name);
        else if (readSteps.has(name) || sentFrom.has(name)) decided.push(metric);
        else held.push({ ...metric, sinceMs: nowMs });
      }
      return store(decided);
    },
    /** Returns waiting printed values from before their metric's first logged step; drops the later printed values. */
    releaseBefore(metrics: readonly TrackedMetric[]): TrackedMetric[] {
      for (const { key, step } of metrics) {
        const name = nameOf(key);
        sentFrom.set(name, Math.min(step, sentFrom.get(name) ?? Infinity));
      }
      const released = release(({ key, step }) => step < (sentFrom.get(nameOf(key)) ?? -Infinity));
      for (const { key } of held) if (sentFrom.has(nameOf(key))) doubled.add(nameOf(key));
      held = held.filter(({ key }) => !sentFrom.has(nameOf(key)));
      return released;
    },
    /** Returns the logged values whose step is not already stored from printed output. */
    addSent(metrics: readonly TrackedMetric[]): TrackedMetric[] {
      const fresh = metrics.filter(({ key, step }) => !readSteps.get(nameOf(key))?.has(step));
      if (fresh.length < metrics.length) for (const { key } of metrics) doubled.add(nameOf(key));
      return fresh;
    },
    releaseLate(nowMs: number): TrackedMetric[] {
      const late = held.filter(({ sinceMs }) => nowMs - sinceMs >= graceMs);
      const names = new Set(late.map(({ key }) => nameOf(key)));
      return release(({ key }) => names.has(nameOf(key)));
    },
    releaseAll: (): TrackedMetric[] => release(() => true),
    doubled: (): string[] => [...doubled].sort(),
  };
}

/** Normalises a metric's name: loggers of one trainer may write `train/loss` or `loss`, `eval_loss` or `eval/loss`. */
function nameOf(key: string): string {
  return key.replace(/^train\//, "").replace(/^eval_/, "eval/");
}
