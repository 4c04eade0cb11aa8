import { settle } from "#packages/trainers";
import { countsEpochs } from "#trainer/spec/metric.ts";

/** Points of one metric that one attempt of a run logged, ordered by line number (seq). */
export type Part = {
  key: string;
  /** First iteration that the attempt trained, from its `started` event; null if the attempt has no such event. */
  firstIteration: number | null;
  iterations: Int32Array;
  values: Float64Array;
};

/** Joins attempts, oldest first: a newer one replaces older ones from its first iteration on; values never mix. */
export function stitch(logged: readonly Part[]): { iterations: Int32Array; values: Float64Array } {
  const parts = logged.map(inOrder);
  const only = parts.length === 1 ? parts[0] : undefined;
  if (only !== undefined) return { iterations: only.iterations, values: only.values };
  let end = Infinity;
  const kept: { iterations: Int32Array; values: Float64Array }[] = [];
  for (const part of parts.toReversed()) {
    kept.unshift(takeBefore(part, end));
    end = Math.min(end, startOf(part));
  }
  const length = kept.reduce((sum, { iterations }) => sum + iterations.length, 0);
  const iterations = new Int32Array(length);
  const values = new Float64Array(length);
  let at = 0;
  for (const part of kept) {
    iterations.set(part.iterations, at);
    values.set(part.values, at);
    at += part.iterations.length;
  }
  return { iterations, values };
}

/**
 * Returns, by attempt, the points that `stitch` drops, preceded by the last kept one, from which a chart draws them.
 */
export function superseded<P extends Part>(logged: readonly P[]): P[] {
  const parts = logged.map(inOrder);
  let end = Infinity;
  const branches: P[] = [];
  for (const part of parts.toReversed()) {
    const from = part.iterations.findIndex((iteration) => iteration >= end);
    if (from !== -1) {
      const [iterations, values] = [part.iterations.slice(fork(from)), part.values.slice(fork(from))];
      branches.unshift({ ...part, iterations, values });
    }
    end = Math.min(end, startOf(part));
  }
  return branches;
}

/** Sorts an attempt's points; `settle` resolves iterations that were logged again. */
function inOrder<P extends Part>(part: P): P {
  const { key, iterations, values } = part;
  if (isAscending(iterations)) return part;
  const lines = Array.from(iterations, (step, i) => ({ step, values: { [key]: values[i] ?? NaN } }));
  const { steps } = settle(lines);
  return {
    ...part,
    iterations: Int32Array.from(steps, ({ step }) => step),
    values: Float64Array.from(steps, (step) => step.values[key] ?? NaN),
  };
}

// Runs of a sweep share one immutable array of iterations, which is checked only once.
const ascending = new WeakSet<Int32Array>();

function isAscending(iterations: Int32Array): boolean {
  if (ascending.has(iterations)) return true;
  for (let i = 1; i < iterations.length; i++) {
    if ((iterations[i] ?? 0) <= (iterations[i - 1] ?? -1)) return false;
  }
  ascending.add(iterations);
  return true;
}

function fork(from: number): number {
  return Math.max(0, from - 1);
}

// Iteration 0 precedes training, so an attempt from 1 on replaces it. Resumed attempts keep epochs of cloning.
function startOf({ key, firstIteration, iterations }: Part): number {
  const first = iterations[0] ?? Infinity;
  if (firstIteration === null) return first;
  if (firstIteration <= 1) return 0;
  return countsEpochs(key) ? first : Math.min(first, firstIteration);
}

function takeBefore({ iterations, values }: Part, end: number) {
  if ((iterations.at(-1) ?? -1) < end) return { iterations, values };
  const isKept = (_: number, i: number) => (iterations[i] ?? 0) < end;
  return { iterations: iterations.filter(isKept), values: values.filter(isKept) };
}
