import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { countLog } from "./logFacts.ts";
import { type AttemptFacts, checkIntegrity } from "./report.ts";

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const attempt = (number: number, iterations: number[], changes: Partial<AttemptFacts> = {}): AttemptFacts => ({
  number,
  live: false,
  firstIteration: iterations[0] ?? null,
  numWritten: iterations.length,
  numLines: iterations.length,
  numPoints: 10 * iterations.length,
  numNonFinite: 0,
  iterations,
  numRejected: 0,
  log: null,
  ...changes,
});

describe("the integrity of a run", () => {
  it("is whole when everything that was written is stored and every iteration is there once", () => {
    const report = checkIntegrity({ status: "finished", budget: 20, attempts: [attempt(1, range(1, 20))] });
    expect(report).toMatchObject({
      verdict: "whole",
      problems: [],
      iterations: { expected: 20, stored: 20, gaps: [] },
    });
  });

  it("counts what a resumed attempt logged again as superseded, and keeps one value of each iteration", () => {
    const crashed = attempt(1, range(1, 212), { numWritten: null });
    const report = checkIntegrity({
      status: "finished",
      budget: 260,
      attempts: [attempt(2, range(201, 260)), crashed],
    });
    expect(report).toMatchObject({ verdict: "whole", iterations: { stored: 260, superseded: 12, gaps: [] } });
    expect(report.attempts.map(({ number, numSuperseded }) => [number, numSuperseded])).toEqual([
      [1, 12],
      [2, 0],
    ]);
    expect(report.points).toMatchObject({ stored: 2720, superseded: 120 });
  });

  it.each<[string, AttemptFacts, string]>([
    ["a gap", attempt(1, [...range(1, 4), ...range(8, 10)]), "iterations 5 to 7 are missing"],
    ["an end before the budget", attempt(1, range(1, 9)), "iteration 10 is missing"],
    [
      "lines that did not arrive",
      attempt(1, range(1, 10), { numWritten: 12 }),
      "10 metric lines are stored, but the trainer wrote 12",
    ],
    [
      "no last line",
      attempt(1, range(1, 10), { numWritten: null }),
      "the event log of the last attempt has no `done` event",
    ],
    ["an unreadable line", attempt(1, range(1, 10), { numRejected: 1 }), "1 line of the event log could not be read"],
    [
      "points that its log has and the storage has not",
      attempt(1, range(1, 10), {
        log: { numMetricLines: 10, numPoints: 101, numMissingLines: 0, numLate: 0, silences: [] },
      }),
      "100 points are stored, but the event log has 101",
    ],
  ])("is broken by %s", (_, facts, problem) => {
    const report = checkIntegrity({ status: "finished", budget: 10, attempts: [facts] });
    expect(report.verdict).toBe("broken");
    expect(report.problems.join()).toContain(problem);
  });

  it("of a run under way is open, and its budget no gap", () => {
    const running = attempt(1, range(1, 4), { live: true, numWritten: null });
    expect(checkIntegrity({ status: "running", budget: 10, attempts: [running] })).toMatchObject({
      verdict: "open",
      iterations: { stored: 4, gaps: [] },
    });
  });

  it("tells silences out of the ordinary", () => {
    const silences = [
      ...range(1, 9).map((afterIteration) => ({ afterIteration, ms: 1000 })),
      { afterIteration: 9, ms: 90_000 },
    ];
    const log = { numMetricLines: 10, numPoints: 100, numMissingLines: 0, numLate: 0, silences };
    const { attempts } = checkIntegrity({
      status: "running",
      budget: 10,
      attempts: [attempt(1, range(1, 10), { log })],
    });
    expect(attempts[0]?.silences).toEqual([{ afterIteration: 9, ms: 90_000 }]);
  });
});

describe("a log counted anew", () => {
  const line = (seq: number, iteration: number, atMs = 1000 * seq): string =>
    JSON.stringify({ v: 1, seq, atMs, type: "metrics", iteration, optimizerStep: 0, values: { a: 1, b: "NaN" } });

  it("leaves out repetitions and foreign lines, and sees what is missing and what is late", async () => {
    const text = [line(0, 1), line(1, 2), line(1, 2), "hello", line(4, 5), line(5, 3, 65_000)];
    expect(await countLog(Readable.from(text))).toEqual({
      numMetricLines: 4,
      numPoints: 8,
      numMissingLines: 2,
      numLate: 1,
      silences: [
        { afterIteration: 1, ms: 1000 },
        { afterIteration: 2, ms: 3000 },
        { afterIteration: 5, ms: 61_000 },
      ],
    });
  });
});
