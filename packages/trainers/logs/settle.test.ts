import { describe, expect, it } from "vitest";
import { split, type Rng } from "#trainer/spec/rng.ts";
import { settle, type LogLine } from "./settle.ts";

/** Makes a run with a training line per step and an evaluation at every tenth step, as written by two loggers. */
function makeRun(from: number, to: number, seed: string): LogLine[] {
  const rng = split(seed);
  const steps = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  return steps.flatMap((step): LogLine[] => [
    { step, values: { reward: rng.next(), gradient: step % 37 === 0 ? NaN : rng.next() } },
    ...(step % 10 === 0 ? [{ step, values: { evaluation: rng.next() } }] : []),
  ]);
}

/** Moves each line by fewer than `window` positions, like lines of unsynchronised writers. */
function shuffleWithin(lines: readonly LogLine[], window: number, rng: Rng): LogLine[] {
  return lines
    .map((line, i) => ({ line, at: i + rng.next() * window }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ line }) => line);
}

const delay = (lines: readonly LogLine[], key: string, numSteps: number) =>
  lines
    .map((line, i) => ({ line, at: line.step + (key in line.values ? numSteps + 0.5 : 0), i }))
    .toSorted((a, b) => a.at - b.at || a.i - b.i)
    .map(({ line }) => line);

describe("the series that a log tells", () => {
  it("loses nothing to evaluations that are logged three steps late", () => {
    const run = makeRun(1, 400, "late");
    expect(settle(delay(run, "evaluation", 3))).toEqual(settle(run));
    expect(settle(run).steps).toHaveLength(400);
    expect(settle(run).restarts).toEqual([]);
  });

  it("is the same in any interleaving within a window", () => {
    for (let seed = 0; seed < 60; seed++) {
      const rng = split("interleaving", seed);
      const run = makeRun(1, 60 + rng.int(60), `run ${seed}`);
      expect(settle(shuffleWithin(run, 1 + rng.int(30), rng))).toEqual(settle(run));
    }
  });

  it("is what a resumed run logged last, from its checkpoint on, in any interleaving of either part", () => {
    for (let seed = 0; seed < 60; seed++) {
      const rng = split("resumption", seed);
      const checkpoint = 20 + rng.int(60);
      const first = makeRun(1, checkpoint + 25, `first ${seed}`);
      const second = makeRun(checkpoint, checkpoint + 10 + rng.int(40), `second ${seed}`);
      const expected = [...first.filter(({ step }) => step < checkpoint), ...second];
      const window = 1 + rng.int(6);
      const told = settle([...shuffleWithin(first, window, rng), ...shuffleWithin(second, window, rng)]);
      expect(told.steps).toEqual(settle(expected).steps);
      expect(told.restarts).toHaveLength(1);
    }
  });

  it("ends where a resumed run stands by now, though it had been further", () => {
    const log = [...makeRun(1, 400, "a"), ...makeRun(300, 310, "b")];
    const { steps, restarts } = settle(log);
    expect(restarts).toEqual([{ from: 300, after: 400 }]);
    expect(steps.at(-1)?.step).toBe(310);
    expect(steps.filter(({ values }) => "evaluation" in values)).toHaveLength(31);
  });

  it("goes on from where a marker says, with or without a line that is logged again", () => {
    const second = makeRun(41, 50, "b").map((line, i) => (i === 0 ? { ...line, restartFrom: 31 } : line));
    const { steps, restarts } = settle([...makeRun(1, 40, "a"), ...second]);
    expect(steps.map(({ step }) => step)).toEqual([...range(1, 30), ...range(41, 50)]);
    expect(restarts).toEqual([{ from: 31, after: 40 }]);
  });

  it.each([
    ["a correction of one value", [{ step: 30, values: { reward: -1 } }]],
    ["checkpoints that are evaluated again", [10, 20, 30].map((step) => ({ step, values: { evaluation: -1 } }))],
  ])("takes %s for no restart", (_, again) => {
    const run = makeRun(1, 60, "a");
    const { steps, restarts } = settle([...run.slice(0, 55), ...again, ...run.slice(55)]);
    expect(restarts).toEqual([]);
    expect(steps).toHaveLength(60);
    for (const { step, values } of again) expect(steps[step - 1]?.values).toMatchObject(values);
  });

  it("takes lines that are printed twice, late, for no restart", () => {
    const run = makeRun(1, 60, "a");
    expect(settle([...run, ...run.slice(20)])).toEqual(settle(run));
  });

  it("reads a log in time that grows with its length alone", () => {
    const long = Array.from({ length: 50_000 }, (_, i) => ({ step: i, values: { reward: i, gradient: 1 } }));
    const nothingNew = Array.from({ length: 50_000 }, (_, i) => ({ step: 7, values: { [`key ${i % 300}`]: i } }));
    const backAndForth = Array.from({ length: 50_000 }, (_, i) => ({ step: 49_998 + (i % 2), values: { reward: -i } }));
    expect(settle([...long, ...nothingNew, ...backAndForth]).steps).toHaveLength(50_000);
  }, 60_000);
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
