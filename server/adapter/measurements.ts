import type { LoggedStep } from "#server/domain/external/point.ts";
import type { TrackedMetric } from "#server/domain/mlflow/store.ts";
import type { Journal } from "#server/tracking/journal.ts";

/**
 * What an attempt measures, each metric from one source: a program that prints its measurements and sends them over the
 * tracking protocol as well has each stored once.
 *
 * What is sent wins, because it has its own steps and full precision. A printed value waits `graceMs` for its metric to be
 * sent; from the first sent step on, printed values of that metric are left out. A value printed earlier than that stays
 * stored, and a sent value of the same step is not stored beside it.
 */
export type Measurements = {
  addRead(step: LoggedStep): void;
  addSent(metrics: readonly TrackedMetric[]): Promise<void>;
  /** Stores the values that have waited long enough. */
  look(nowMs: number): void;
  /** Stores every value. Throws when one could not be written. Returns the metrics that came from both sources. */
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

/** Measurements whose metrics of these names are stored as `NAME_sum`: no trainer's own name, so that none is a mean. */
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

/** Which measurements are stored, and from which of the two sources; each method returns what is to be written now. */
function makeChoice() {
  /** By metric: the first step that was sent. */
  const sentFrom = new Map<string, number>();
  /** By metric: the steps that were printed and are stored. */
  const readSteps = new Map<string, Set<number>>();
  const doubled = new Set<string>();
  let held: Held[] = [];

  /** Removes the held values of which this is true, and returns them. */
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
    /** Printed values of steps before the first that is sent; those of later steps are left out. */
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
    /** Sent values without those whose step is stored as it was printed. */
    addSent(metrics: readonly TrackedMetric[]): TrackedMetric[] {
      const fresh = metrics.filter(({ key, step }) => !readSteps.get(nameOf(key))?.has(step));
      if (fresh.length < metrics.length) for (const { key } of metrics) doubled.add(nameOf(key));
      return fresh;
    },
    /** All values of the metrics that have waited long enough. */
    releaseLate(nowMs: number): TrackedMetric[] {
      const late = held.filter(({ sinceMs }) => nowMs - sinceMs >= graceMs);
      const names = new Set(late.map(({ key }) => nameOf(key)));
      return release(({ key }) => names.has(nameOf(key)));
    },
    releaseAll: (): TrackedMetric[] => release(() => true),
    doubled: (): string[] => [...doubled].sort(),
  };
}

/** Loggers of one trainer spell a metric differently: `train/loss` is `loss`, `eval_loss` is `eval/loss`. */
function nameOf(key: string): string {
  return key.replace(/^train\//, "").replace(/^eval_/, "eval/");
}
