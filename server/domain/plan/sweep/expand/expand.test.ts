import { describe, expect, it } from "vitest";
import { methodNames, methods } from "#trainer/spec/method.ts";
import { CellSpec } from "#trainer/spec/run.ts";
import { expandPlan } from "./expand.ts";
import { checkPlan } from "../plan.ts";
import type { SweepPlan } from "../schema.ts";

const expand = (plan: Partial<Record<keyof SweepPlan, unknown>>) =>
  expandPlan(checkPlan({ name: "a", environments: [{ id: "sokoban" }], seeds: [0], ...plan }));
const names = (plan: Partial<Record<keyof SweepPlan, unknown>>) =>
  expand(plan).cells.map(({ method, label }) => (label === "" ? method : `${method} | ${label}`));

const wide = { kind: "token", low: 0.2, high: 0.28 };
const narrow = { kind: "token", low: 0.2, high: 0.2 };
const gspo = { kind: "sequence", low: 0.003, high: 0.004 };
const sapo = { kind: "sapo", tauPositive: 1, tauNegative: 1.05 };

describe("expandPlan", () => {
  it("makes one cell per method and one run per cell and seed, seed by seed", () => {
    const { cells, runs } = expand({ methods: ["grpo", "gspo"], seeds: [7, 3] });
    expect(cells.map(({ index, method, label }) => [index, method, label])).toEqual([
      [0, "GRPO", ""],
      [1, "GSPO", ""],
    ]);
    expect(runs.map(({ cellIndex, seed }) => [cellIndex, seed])).toEqual([
      [0, 7],
      [1, 7],
      [0, 3],
      [1, 3],
    ]);
  });

  it("labels values without the noise of binary fractions", () => {
    const { cells } = expand({ methods: ["grpo"], axes: { "optimizer.learningRate": [1e-4 * 3, 1e-4] } });
    expect(cells.map(({ label }) => label)).toEqual(["learningRate 3e-4", "learningRate 1e-4"]);
  });

  it("labels cells by what tells them apart: environment and axes, but no axis of one value", () => {
    const plan = {
      methods: ["grpo"],
      environments: [{ id: "sokoban" }, { id: "sokoban", size: 8, numBoxes: 2 }],
      axes: { "optimizer.learningRate": [1e-4, 0.01], "update.klCoef": [0] },
    };
    expect(names(plan)).toEqual([
      "GRPO | Sokoban size 6, numBoxes 1 · learningRate 1e-4",
      "GRPO | Sokoban size 6, numBoxes 1 · learningRate 0.01",
      "GRPO | Sokoban size 8, numBoxes 2 · learningRate 1e-4",
      "GRPO | Sokoban size 8, numBoxes 2 · learningRate 0.01",
    ]);
  });

  it("writes axis values into the specification, and those of method and environment too", () => {
    const { cells } = expand({
      methods: ["sampo"],
      axes: { "method.clipping.low": [0.01], "environment.size": [9], "policy.size": ["mini"] },
    });
    expect(cells[0]?.spec).toMatchObject({
      method: { clipping: { kind: "sequence", low: 0.01, high: 0.004 } },
      environment: { size: 9 },
      policy: { size: "mini" },
    });
  });

  it("makes complete, valid specifications whose hashes differ", () => {
    const { cells } = expand({ methods: ["grpo", "sapo"], axes: { "rollout.groupSize": [4, 8] } });
    for (const { spec } of cells) expect(CellSpec.parse(spec)).toEqual(spec);
    expect(new Set(cells.map(({ specHash }) => specHash)).size).toBe(4);
  });

  it("takes the full product of a grid, with GRPO's level where a dimension is missing", () => {
    const plan = { grid: { clipping: [narrow, sapo], sampling: [{ kind: "all" }, { kind: "dynamic" }] } };
    expect(names(plan)).toEqual(["GRPO", "DAPO_GRPO", "SAPO", "token mean · soft gate · group · dynamic"]);
  });

  it("tells grid points of one kind apart by their parameters", () => {
    const plan = { grid: { clipping: [narrow, wide, { ...wide, high: 0.4 }] } };
    expect(names(plan)).toEqual([
      "GRPO",
      "token mean · token clip · group · all groups (high 0.28)",
      "token mean · token clip · group · all groups (high 0.4)",
    ]);
  });

  it("merges the grid points that turn clipping makes equal, and says so", () => {
    const { cells, notes } = expand({
      grid: { aggregation: ["tokenMean", "seqMeanTokenMean"], clipping: [narrow, gspo] },
    });
    expect(cells.map(({ method }) => method)).toEqual(["GRPO", "GSPO", "GRPO_ST"]);
    expect(notes).toEqual([
      { kind: "coupled", text: "Turn clip fixes the aggregation to Turn mean; Token mean has no effect." },
      { kind: "merged", text: "Several combinations of the grid are identical to GSPO, which runs only once." },
    ]);
    expect(cells[1]?.spec.method.aggregation).toBe("seqMeanTokenMean");
  });

  it("runs a method once that is listed and in the grid", () => {
    const { cells, notes } = expand({ methods: ["grpo", "grpo"], grid: { clipping: [narrow] } });
    expect(cells).toHaveLength(1);
    expect(notes.map(({ kind }) => kind)).toEqual(["dropped", "merged"]);
  });

  it("leaves methods alone that an axis does not concern", () => {
    const { cells, notes } = expand({ methods: ["grpo", "sapo"], axes: { "method.clipping.high": [0.2, 0.3] } });
    expect(cells.map(({ method, label }) => `${method} ${label}`)).toEqual(["GRPO high 0.2", "GRPO high 0.3", "SAPO "]);
    expect(notes).toEqual([
      { kind: "merged", text: "SAPO has no setting method.clipping.high: all values of this axis give the same cell." },
    ]);
  });

  it("merges credit per token into credit per turn unless a critic gives each token its own, and says so", () => {
    const token = { ...gspo, credit: "token" };
    const { cells, notes } = expand({ methods: ["gspo", { name: "GSPO-token", from: "gspo", clipping: token }] });
    expect(cells.map(({ method }) => method)).toEqual(["GSPO"]);
    expect(notes).toEqual([
      { kind: "coupled", text: expect.stringMatching(/^GSPO-token: Credit per token .* equals credit per turn/) },
      { kind: "dropped", text: "GSPO-token is identical to GSPO, which runs only once." },
    ]);
    expect(names({ grid: { clipping: [gspo, token], advantage: [{ kind: "gae" }] } })).toHaveLength(2);
    expect(names({ methods: ["gspo"], axes: { "method.clipping.credit": ["row", "token"] } })).toHaveLength(1);
  });

  it("merges what the geometric mean makes equal", () => {
    const { cells } = expand({
      methods: ["gmpo", { name: "GMPO, token mean", from: "gmpo", aggregation: "tokenMean" }],
    });
    expect(cells.map(({ method }) => method)).toEqual(["GMPO"]);
  });

  it("switches off what may be off, along an axis", () => {
    const plan = { methods: ["grpo", "gspo"], axes: { "method.clipping.dual": [3, null] } };
    expect(names(plan)).toEqual(["GRPO | dual 3", "GRPO | dual off", "GSPO"]);
  });

  it("expands all published methods, each a cell of its own", () => {
    expect(names({ methods: methodNames })).toEqual(methodNames.map((name) => methods[name].title));
  });

  it("varies the kind of initialisation, with the defaults of each kind", () => {
    const { cells } = expand({
      methods: ["grpo"],
      axes: { "initialisation.numEpisodes": [50, 100], "initialisation.kind": ["scratch", "demonstrations"] },
    });
    expect(cells.map(({ label }) => label)).toEqual([
      "kind scratch",
      "numEpisodes 50, kind demonstrations",
      "numEpisodes 100, kind demonstrations",
    ]);
  });

  it("keeps the fields of a kind that an axis has among its values, and may leave combinations out by it", () => {
    const { cells } = expand({
      methods: ["grpo"],
      base: { initialisation: { kind: "demonstrations", numEpisodes: 70 } },
      axes: { "initialisation.kind": ["scratch", "demonstrations"], "update.klCoef": [0, 0.01] },
      exclude: [{ "initialisation.kind": "scratch", "update.klCoef": 0.01 }],
    });
    expect(cells.map(({ spec: { initialisation } }) => initialisation)).toMatchObject([
      { kind: "scratch" },
      { kind: "demonstrations", numEpisodes: 70 },
      { kind: "demonstrations", numEpisodes: 70 },
    ]);
  });

  it("brings the sampler's settings into cells that have none, with the kind of lag that they belong to", () => {
    const { cells } = expand({
      methods: ["grpo"],
      axes: { "rollout.lag.k": [0, 8], "rollout.samplerPrecision": ["float32", "int8"] },
    });
    expect(cells.map(({ label }) => label)).toEqual([
      "lag.k 0, samplerPrecision float32",
      "lag.k 0, samplerPrecision int8",
      "lag.k 8, samplerPrecision float32",
      "lag.k 8, samplerPrecision int8",
    ]);
    expect(cells[3]?.spec.rollout).toMatchObject({ lag: { kind: "constant", k: 8 }, samplerPrecision: "int8" });
    const bounds = expand({ methods: ["grpo"], axes: { "rollout.lag.discardBeyond": [1] } });
    expect(bounds.cells[0]?.spec.rollout.lag).toEqual({ kind: "uniform", max: 4, discardBeyond: 1 });
  });

  it("leaves a lag of another kind alone", () => {
    const base = { rollout: { lag: { kind: "uniform", max: 2 } } };
    expect(() => expand({ methods: ["grpo"], base, axes: { "rollout.lag.k": [1, 2] } })).toThrow(
      "axes.rollout.lag.k: applies to none of this sweep's methods and environments",
    );
  });

  it("is pure: the same plan gives the same expansion", () => {
    const plan = { methods: ["grpo", "gspo"], axes: { "update.klCoef": [0, 0.01] }, seeds: [1, 2] };
    expect(expand(plan)).toEqual(expand(plan));
  });
});
