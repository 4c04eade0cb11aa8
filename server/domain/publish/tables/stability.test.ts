import { describe, expect, it } from "vitest";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { checkPlan } from "#server/domain/plan/sweep/plan.ts";
import type { Curve } from "#packages/statistics";
import { collapseMetrics, judgeCurves } from "./builder/collapses.ts";
import type { BuilderInput, BuilderRun } from "./builder/input.ts";
import { stabilityMetrics } from "./builder/presetPanels.ts";
import { buildPreset } from "./builder/presets.ts";
import { toMarkdown } from "#packages/tables";
import { toCsv } from "#packages/tables/csv.ts";
import { toLatex } from "#packages/tables/latex.ts";
import { readCurve } from "#server/domain/runs/table/reading.ts";

const { cells, runs } = expandPlan(
  checkPlan({
    name: "a",
    methods: ["grpo", "sapo"],
    environments: [{ id: "sokoban" }],
    axes: { "update.minibatchRows": [128, 512] },
    seeds: [0, 1, 2],
  }),
);
const length = 24;
const curve = (value: (i: number) => number, every = 1): Curve => {
  const iterations = Int32Array.from({ length: length / every + 1 }, (_, i) => i * every);
  return { iterations, values: Float64Array.from(iterations, value) };
};

/** SAPO with small minibatches collapses half-way for two of three seeds; one of its gradients is infinite. */
const { evaluations, loss, rollouts } = collapseMetrics;
const { kl, gradientNorm, gradientNormMax, duration } = stabilityMetrics;
const study = runs.map(({ cellIndex, seed }): BuilderRun => {
  const isBroken = cellIndex === 2 && seed > 0;
  const rate = (i: number) => (isBroken && i >= 12 + seed ? 0 : 0.1 + 0.02 * i + 0.01 * seed);
  const curves = new Map([
    [evaluations, curve(rate, 4)],
    [rollouts, curve(rate)],
    [kl, curve((i) => (isBroken ? 0.1 : 0.001) * i)],
    [loss, curve(() => 0.1)],
    [gradientNorm, curve((i) => 0.5 + 0.01 * i)],
    [gradientNormMax, curve((i) => (isBroken && i === 20 && seed === 2 ? Infinity : 1 + 0.01 * i))],
    [duration, curve(() => 1000 + 100 * seed)],
  ]);
  const spec = cells[cellIndex]?.spec;
  if (!spec) throw new Error(`no cell ${cellIndex}`);
  return {
    runId: `run-${cellIndex}-${seed}`,
    cellIndex,
    seed,
    status: "finished",
    reason: "completed",
    iteration: length,
    readings: new Map([...curves].map(([key, one]) => [key, readCurve(one, { better: "up" })])),
    collapse: judgeCurves({ spec, reason: "completed", curves }),
  };
});
const tableOf = (shown: readonly BuilderRun[]) => {
  const sweeps = [{ id: "a", name: "Staleness", planHash: "0123" }];
  const input: BuilderInput = { sweeps, cells: cells.map((cell) => ({ ...cell, sweepId: "a" })), runs: shown };
  return buildPreset("stability", input, evaluations);
};

describe("the table of stability", () => {
  const table = tableOf(study);
  const cellOf = (row: number, key: string) => table.rows[row]?.cells[table.columns.findIndex((c) => c.key === key)];

  it.each([
    ["stability.golden.md", toMarkdown(table)],
    ["stability.golden.tex", toLatex(table)],
    ["stability.golden.csv", toCsv(table)],
  ])("prints %s", async (name, text) => {
    await expect(text).toMatchFileSnapshot(`./${name}`);
  });

  it("counts the seeds that collapsed and says when, by the median", () => {
    expect(table.rows.map((_, row) => cellOf(row, "collapsed"))).toEqual(
      ["0/3", "0/3", "2/3", "0/3"].map((text) => ({ kind: "text", text })),
    );
    expect(cellOf(2, "collapseAt")).toEqual({ kind: "text", text: "13.5" });
    expect(cellOf(0, "collapseAt")).toEqual({ kind: "missing" });
  });

  it("takes the largest gradient of any seed, and infinity for one that was not finite", () => {
    expect(cellOf(0, "gradientNorm")).toEqual({ kind: "number", value: 1.24 });
    expect(cellOf(2, "gradientNorm")).toEqual({ kind: "number", value: Infinity });
  });

  it("averages training times over the runs that are over and tell them", () => {
    const numIterations = curve(() => 0).values.length;
    expect(cellOf(0, "trainingTime")).toMatchObject({ mean: expect.closeTo(1.1 * numIterations), n: 3 });
    const [first, second, third] = study.filter(({ cellIndex }) => cellIndex === 0);
    if (!first || !second || !third) throw new Error("three seeds expected");
    const silent = { ...second, readings: new Map([...second.readings].filter(([key]) => key !== duration)) };
    const { rows } = tableOf([{ ...first, reason: null }, silent, third]);
    const time = rows.find(({ runIds }) => runIds.includes(third.runId))?.cells.at(-1);
    expect(time).toMatchObject({ mean: expect.closeTo(1.2 * numIterations), n: 1 });
  });

  it("works before anything was logged", () => {
    const empty = tableOf([]);
    expect(empty.rows[0]?.cells.map(({ kind }) => kind)).toEqual([
      "text",
      "text",
      "text",
      "missing",
      "missing",
      "missing",
      "text",
      "missing",
      "missing",
    ]);
  });
});
