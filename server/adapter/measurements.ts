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
  /** Takes what has waited long enough. */
  look(nowMs: number): void;
  /** Takes everything. Throws when something could not be written. Returns the metrics that came from both sources. */
  finish(): Promise<readonly string[]>;
};

type Held = TrackedMetric & { sinceMs: number };

const graceMs = 2000;

export function makeMeasurements(journal: Pick<Journal, "append">): Measurements {
  /** By metric: the first step that was sent. */
  const sentFrom = new Map<string, number>();
  /** By metric: the steps that were printed and are stored. */
  const readSteps = new Map<string, Set<number>>();
  const doubled = new Set<string>();
  let held: Held[] = [];
  let failure: unknown;

  const write = async (metrics: readonly TrackedMetric[]): Promise<void> => {
    if (metrics.length > 0) await journal.append(metrics);
  };
  const writeRead = (metrics: readonly TrackedMetric[]): Promise<void> => {
    for (const { key, step } of metrics) {
      const name = nameOf(key);
      const steps = readSteps.get(name) ?? new Set();
      readSteps.set(name, steps.add(step));
    }
    return write(metrics).catch((error: unknown) => {
      failure ??= error;
    });
  };
  return {
    addRead: ({ step, values, atMs }) => {
      const nowMs = Date.now();
      const decided: TrackedMetric[] = [];
      for (const [key, value] of Object.entries(values)) {
        const name = nameOf(key);
        const metric = { key, value, step, timestampMs: atMs ?? nowMs };
        const isSent = step >= (sentFrom.get(name) ?? Infinity);
        if (isSent) doubled.add(name);
        else if (readSteps.has(name) || sentFrom.has(name)) decided.push(metric);
        else held.push({ ...metric, sinceMs: nowMs });
      }
      void writeRead(decided);
    },
    addSent: async (metrics) => {
      for (const { key, step } of metrics) {
        const name = nameOf(key);
        sentFrom.set(name, Math.min(step, sentFrom.get(name) ?? Infinity));
      }
      const fromBefore: Held[] = [];
      held = held.filter((one) => {
        const from = sentFrom.get(nameOf(one.key));
        if (from === undefined) return true;
        if (one.step < from) fromBefore.push(one);
        else doubled.add(nameOf(one.key));
        return false;
      });
      void writeRead(fromBefore);
      const fresh = metrics.filter(({ key, step }) => !readSteps.get(nameOf(key))?.has(step));
      if (fresh.length < metrics.length) for (const { key } of metrics) doubled.add(nameOf(key));
      await write(fresh);
    },
    look: (nowMs) => {
      const late = held.filter(({ sinceMs }) => nowMs - sinceMs >= graceMs);
      if (late.length === 0) return;
      const names = new Set(late.map(({ key }) => nameOf(key)));
      const isDecided = ({ key }: Held) => names.has(nameOf(key));
      const decided = held.filter(isDecided);
      held = held.filter((one) => !isDecided(one));
      void writeRead(decided);
    },
    finish: async () => {
      const rest = held;
      held = [];
      await writeRead(rest);
      if (failure !== undefined) throw new Error("measurements could not be written", { cause: failure });
      return [...doubled].sort();
    },
  };
}

/** Loggers of one trainer spell a metric differently: `train/loss` is `loss`, `eval_loss` is `eval/loss`. */
function nameOf(key: string): string {
  return key.replace(/^train\//, "").replace(/^eval_/, "eval/");
}
