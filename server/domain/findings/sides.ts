import { tUpperTail } from "../statistics/distributions.ts";
import { fisherTest } from "../statistics/fisherTest.ts";
import { tQuantile } from "../statistics/studentT.ts";
import { mean, variance } from "../statistics/summary.ts";
import { welchTest } from "../statistics/tTests.ts";
import type { StudiedRun } from "./studiedRun.ts";

/** Runs that a part of a claim is about, under a name. */
export type Side = { name: string; runs: readonly StudiedRun[] };

export type Part = {
  /** What is measured, and which side is said to have more of it. */
  question: string;
  sides: readonly { name: string; n: number; figure: string; runIds: readonly string[] }[];
  /** First side minus second, with its 95 % interval; NaN where the test has none. */
  difference: number;
  interval: { low: number; high: number };
  p: number;
  test: string;
  outcome: "supported" | "contradicted" | "open";
  /** Why it is open, where it is. */
  reason?: string;
};

/** Fewer runs a side answer nothing. */
export const fewestRuns = 5;
const level = 0.05;

/** Is a mean greater on the first side? */
export function compareMeans(
  question: string,
  [first, second]: readonly [Side, Side],
  read: (run: StudiedRun) => number,
): Part {
  const [a, b] = [first, second].map(({ runs }) => runs.map(read).filter(Number.isFinite));
  const [x, y] = [a ?? [], b ?? []];
  const { p, interval, difference } = welchTest(x, y);
  return finish({
    question,
    sides: [first, second].map((side, i) => {
      const values = i === 0 ? x : y;
      return { ...nameSide(side), n: values.length, figure: `mean ${sayNumber(mean(values))}` };
    }),
    difference,
    interval,
    p,
    test: "Welch's t",
  });
}

/** Do more collapse on the first side? */
export function compareCollapses(question: string, [first, second]: readonly [Side, Side]): Part {
  const [a, b] = [first, second].map(({ runs }) => ({
    k: runs.filter(({ hasCollapsed }) => hasCollapsed).length,
    n: runs.length,
  }));
  const [x, y] = [a ?? { k: 0, n: 0 }, b ?? { k: 0, n: 0 }];
  const part = finish({
    question,
    sides: [first, second].map((side, i) => {
      const { k, n } = i === 0 ? x : y;
      return { ...nameSide(side), n, figure: `${k} of ${n} collapsed` };
    }),
    difference: x.k / x.n - y.k / y.n,
    interval: { low: NaN, high: NaN },
    p: x.n > 0 && y.n > 0 ? fisherTest(x, y) : NaN,
    test: "Fisher's exact",
  });
  const isQuiet = part.outcome === "open" && x.n >= fewestRuns && y.n >= fewestRuns && x.k + y.k === 0;
  return isQuiet ? { ...part, reason: "nobody collapsed on either side" } : part;
}

/** Is the first pair's difference greater than the second's? (a − b) − (c − d), variances not assumed equal. */
export function compareDifferences(
  question: string,
  sides: readonly [Side, Side, Side, Side],
  read: (run: StudiedRun) => number,
): Part {
  const samples = sides.map(({ runs }) => runs.map(read).filter(Number.isFinite));
  const means = samples.map(mean);
  const parts = samples.map((values) => variance(values) / values.length);
  const error = Math.sqrt(parts.reduce((sum, x) => sum + x, 0));
  const df = error ** 4 / parts.reduce((sum, x, i) => sum + x ** 2 / ((samples[i]?.length ?? 0) - 1), 0);
  const [a = NaN, b = NaN, c = NaN, d = NaN] = means;
  const difference = a - b - (c - d);
  const half = tQuantile(0.975, df) * error;
  return finish({
    question,
    sides: sides.map((side, i) => ({
      ...nameSide(side),
      n: samples[i]?.length ?? 0,
      figure: `mean ${sayNumber(means[i] ?? NaN)}`,
    })),
    difference,
    interval: { low: difference - half, high: difference + half },
    p: Math.min(1, 2 * tUpperTail(Math.abs(difference / error), df)),
    test: "difference of differences, Welch–Satterthwaite",
  });
}

function nameSide({ name, runs }: Side) {
  return { name, runIds: runs.map(({ runId }) => runId) };
}

function finish(part: Omit<Part, "outcome" | "reason">): Part {
  const few = part.sides.filter(({ n }) => n < fewestRuns);
  if (few.length > 0) {
    const said = few.map(({ name, n }) => `${name} has ${n}`).join(", ");
    return { ...part, outcome: "open", reason: `at least ${fewestRuns} runs a side: ${said}` };
  }
  if (part.p < level) return { ...part, outcome: part.difference > 0 ? "supported" : "contradicted" };
  return { ...part, outcome: "open", reason: "the difference could be chance" };
}

function sayNumber(x: number): string {
  return Number.isNaN(x) ? "unknown" : x.toPrecision(3);
}
