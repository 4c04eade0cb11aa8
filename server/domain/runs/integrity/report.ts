import type { RunStatus } from "../runStatus.ts";
import type { LogFacts, Silence } from "./logFacts.ts";
import { formatCount } from "#packages/base";

export type AttemptFacts = {
  number: number;
  live: boolean;
  /** First iteration that the attempt logged or will log; null if unknown. */
  firstIteration: number | null;
  /** Metric lines written, as the last line states; null if that line is missing. */
  numWritten: number | null;
  /** Metric lines that ingest counted, and stored metric values. */
  numLines: number;
  numPoints: number;
  numNonFinite: number;
  /** Ascending iterations with a training metric, without duplicates and epochs of behaviour cloning. */
  iterations: readonly number[];
  numRejected: number;
  /** Null if the file can no longer be read. */
  log: LogFacts | null;
};

export type IntegrityReport = {
  attempts: readonly AttemptReport[];
  /** Numbers of iterations: in the budget, on the run's curve, superseded by later attempts; and missing ones. */
  iterations: { expected: number; stored: number; superseded: number; gaps: readonly Span[] };
  points: { stored: number; superseded: number; nonFinite: number };
  problems: readonly string[];
  /** Result of the check. `whole`: finished without problems. `open`: complete so far. `broken`: has problems. */
  verdict: "whole" | "open" | "broken";
};

export type AttemptReport = Omit<AttemptFacts, "iterations"> & {
  /** Number of iterations that a later attempt logged again, so that they are not on the run's curve. */
  numSuperseded: number;
  /** Unusually long pauses. */
  silences: readonly Silence[];
};

/** Range of iterations, both ends included. */
export type Span = { from: number; to: number };

type Run = {
  status: RunStatus;
  /** Iterations in the budget; null if unknown. */
  budget: number | null;
  /** Iterations that a branch's origin trained, which the branch does not log; 0 for other runs. */
  numBefore?: number;
  attempts: readonly AttemptFacts[];
};

/** A pause between log lines is reported if it is at least a minute and this many times the median pause. */
const silenceFactor = 20;
const minSilenceMs = 60_000;

/**
 * Checks that the displayed curve equals the logs. A `whole` run has every iteration on the curve once, and a last log
 * that states its number of lines, all stored and readable.
 */
export function checkIntegrity({ status, budget, numBefore = 0, attempts }: Run): IntegrityReport {
  const inOrder = attempts.toSorted((a, b) => a.number - b.number);
  const shown = new Set<number>();
  const reports: AttemptReport[] = [];
  // Attempts are joined as for curves: a newer attempt supersedes older attempts from its first iteration on.
  let end = Infinity;
  for (const { iterations, ...facts } of inOrder.toReversed()) {
    const kept = iterations.filter((iteration) => iteration < end);
    for (const iteration of kept) shown.add(iteration);
    reports.unshift({
      ...facts,
      numSuperseded: iterations.length - kept.length,
      silences: longOnes(facts.log?.silences ?? []),
    });
    const first = facts.firstIteration === null || facts.firstIteration <= 1 ? 0 : facts.firstIteration;
    if (iterations.length > 0) end = Math.min(end, first, iterations[0] ?? Infinity);
  }
  const trained = [...shown].filter((iteration) => iteration > 0).toSorted((a, b) => a - b);
  const isFinished = status === "finished";
  const gaps = findGaps(trained, isFinished && budget !== null ? { from: numBefore + 1, to: budget } : null);
  const problems = [...reports.flatMap(problemsOf), ...problemsOfCurve({ gaps, isFinished, reports })];
  const numSuperseded = sum(reports.map((report) => report.numSuperseded));
  return {
    attempts: reports,
    iterations: {
      expected: Math.max(0, (budget ?? trained.at(-1) ?? 0) - numBefore),
      stored: trained.length,
      superseded: numSuperseded,
      gaps,
    },
    points: {
      stored: sum(reports.map(({ numPoints }) => numPoints)),
      superseded: sum(inOrder.map((facts, i) => shareOfPoints(facts, reports[i]?.numSuperseded ?? 0))),
      nonFinite: sum(reports.map(({ numNonFinite }) => numNonFinite)),
    },
    problems,
    verdict: problems.length > 0 ? "broken" : isFinished ? "whole" : "open",
  };
}

// Estimates superseded values from superseded iterations: each line contains the values of one.
function shareOfPoints({ iterations, numPoints }: AttemptFacts, numSuperseded: number): number {
  return iterations.length === 0 ? 0 : Math.round((numPoints * numSuperseded) / iterations.length);
}

function problemsOf(attempt: AttemptReport): string[] {
  const { number, live, numWritten, numLines, numPoints, numRejected, log } = attempt;
  const problems: string[] = [];
  if (numRejected > 0)
    problems.push(`attempt ${number}: ${formatCount(numRejected, "line")} of the event log could not be read`);
  if (log && log.numMissingLines > 0)
    problems.push(
      `attempt ${number}: ${formatCount(log.numMissingLines, "line is", "lines are")} missing from the event log`,
    );
  if (!live && log && log.numPoints !== numPoints) {
    problems.push(
      `attempt ${number}: ${formatCount(numPoints, "point is", "points are")} stored, but the event log has ${log.numPoints}`,
    );
  }
  if (!live && numWritten !== null && numWritten !== numLines) {
    problems.push(`attempt ${number}: ${numLines} metric lines are stored, but the trainer wrote ${numWritten}`);
  }
  return problems;
}

type Curve = { gaps: readonly Span[]; isFinished: boolean; reports: readonly AttemptReport[] };

function problemsOfCurve({ gaps, isFinished, reports }: Curve): string[] {
  const problems = gaps.map(({ from, to }) =>
    from === to ? `iteration ${from} is missing` : `iterations ${from} to ${to} are missing`,
  );
  if (isFinished && reports.at(-1)?.numWritten === null)
    problems.push("the event log of the last attempt has no `done` event");
  return problems;
}

// Every iteration must exist between the first and the last or, in a finished run, in its whole budget.
function findGaps(trained: readonly number[], budget: Span | null): Span[] {
  const gaps: Span[] = [];
  let next = budget?.from ?? trained[0] ?? 1;
  for (const iteration of trained) {
    if (iteration > next) gaps.push({ from: next, to: iteration - 1 });
    next = iteration + 1;
  }
  if (budget !== null && next <= budget.to) gaps.push({ from: next, to: budget.to });
  return gaps;
}

function longOnes(silences: readonly Silence[]): Silence[] {
  const sorted = silences.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const least = Math.max(minSilenceMs, silenceFactor * median);
  return silences
    .filter(({ ms }) => ms >= least)
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, 5);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, x) => total + x, 0);
}
