import type { RunStatus } from "../runStatus.ts";
import type { LogFacts, Silence } from "./logFacts.ts";
import { formatCount } from "#packages/base";

/** Stored facts about one attempt. */
export type AttemptFacts = {
  number: number;
  live: boolean;
  /** First iteration it logged or will log; null until known. */
  firstIteration: number | null;
  /** Number of metric lines written, stated in its last line; null without one. */
  numWritten: number | null;
  /** Metric lines counted while reading, and points kept of them. */
  numLines: number;
  numPoints: number;
  numNonFinite: number;
  /** Iterations with a training metric, sorted and unique; cloning epochs are excluded. */
  iterations: readonly number[];
  numRejected: number;
  /** Facts from its log; null if the file is no longer readable. */
  log: LogFacts | null;
};

export type IntegrityReport = {
  attempts: readonly AttemptReport[];
  /** Iterations of the run's curve within its budget. */
  iterations: { expected: number; stored: number; superseded: number; gaps: readonly Span[] };
  points: { stored: number; superseded: number; nonFinite: number };
  problems: readonly string[];
  /**
   * `whole`: finished, with every written line stored and shown. `open`: complete so far. `broken`: see the problems.
   */
  verdict: "whole" | "open" | "broken";
};

export type AttemptReport = Omit<AttemptFacts, "iterations"> & {
  /** Its iterations that a later attempt logged again: stored, but not part of the curve. */
  numSuperseded: number;
  /** Unusually long silences of its log. */
  silences: readonly Silence[];
};

/** Range of iterations, both ends inclusive. */
export type Span = { from: number; to: number };

type Run = {
  status: RunStatus;
  /** Number of iterations in its budget; null if unknown. */
  budget: number | null;
  attempts: readonly AttemptFacts[];
};

/** A pause between two log lines is reported if it is this many times the usual one and at least a minute. */
const silenceFactor = 20;
const minSilenceMs = 60_000;

/**
 * Checks that the displayed curve equals the attempts' logs. `whole` means: the last attempt stated its number of
 * lines, all are stored, none is missing or unreadable, and every iteration is on the curve once.
 */
export function checkIntegrity({ status, budget, attempts }: Run): IntegrityReport {
  const inOrder = attempts.toSorted((a, b) => a.number - b.number);
  const shown = new Set<number>();
  const reports: AttemptReport[] = [];
  // As curves are stitched: from its first iteration on, a newer attempt replaces older ones.
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
  const gaps = findGaps(trained, isFinished ? budget : null);
  const problems = [...reports.flatMap(problemsOf), ...problemsOfCurve({ gaps, isFinished, reports })];
  const numSuperseded = sum(reports.map((report) => report.numSuperseded));
  return {
    attempts: reports,
    iterations: { expected: budget ?? trained.at(-1) ?? 0, stored: trained.length, superseded: numSuperseded, gaps },
    points: {
      stored: sum(reports.map(({ numPoints }) => numPoints)),
      superseded: sum(inOrder.map((facts, i) => shareOfPoints(facts, reports[i]?.numSuperseded ?? 0))),
      nonFinite: sum(reports.map(({ numNonFinite }) => numNonFinite)),
    },
    problems,
    verdict: problems.length > 0 ? "broken" : isFinished ? "whole" : "open",
  };
}

// Points come in one line per iteration, so those of superseded iterations are estimated by their fraction.
function shareOfPoints({ iterations, numPoints }: AttemptFacts, numSuperseded: number): number {
  return iterations.length === 0 ? 0 : Math.round((numPoints * numSuperseded) / iterations.length);
}

function problemsOf(attempt: AttemptReport): string[] {
  const { number, live, numWritten, numLines, numPoints, numRejected, log } = attempt;
  const problems: string[] = [];
  if (numRejected > 0)
    problems.push(`attempt ${number}: ${formatCount(numRejected, "line")} of its log could not be read`);
  if (log && log.numMissingLines > 0)
    problems.push(
      `attempt ${number}: ${formatCount(log.numMissingLines, "line is", "lines are")} missing from its log`,
    );
  if (!live && log && log.numPoints !== numPoints) {
    problems.push(
      `attempt ${number}: ${formatCount(numPoints, "point is", "points are")} stored, but its log has ${log.numPoints}`,
    );
  }
  if (!live && numWritten !== null && numWritten !== numLines) {
    problems.push(`attempt ${number}: ${numLines} metric lines are stored, but its trainer wrote ${numWritten}`);
  }
  return problems;
}

type Curve = { gaps: readonly Span[]; isFinished: boolean; reports: readonly AttemptReport[] };

function problemsOfCurve({ gaps, isFinished, reports }: Curve): string[] {
  const problems = gaps.map(({ from, to }) =>
    from === to ? `iteration ${from} is missing` : `iterations ${from} to ${to} are missing`,
  );
  if (isFinished && reports.at(-1)?.numWritten === null) problems.push("the last attempt's log has no final line");
  return problems;
}

// Between the first and the last iteration each occurs once; a finished run has all from 1 to its budget.
function findGaps(trained: readonly number[], budget: number | null): Span[] {
  const gaps: Span[] = [];
  let next = budget === null ? (trained[0] ?? 1) : 1;
  for (const iteration of trained) {
    if (iteration > next) gaps.push({ from: next, to: iteration - 1 });
    next = iteration + 1;
  }
  if (budget !== null && next <= budget) gaps.push({ from: next, to: budget });
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
