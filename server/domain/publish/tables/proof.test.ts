import { describe, expect, it } from "vitest";
import { contentHash } from "#trainer/spec/canonical.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { checkPlan } from "#server/domain/plan/sweep/plan.ts";
import type { BuilderInput } from "./builder/input.ts";
import { buildPreset } from "./builder/presets.ts";
import { canBeProved, proofText, tableCode } from "./proof.ts";
import type { TableQuery } from "./query.ts";
import { toMarkdown } from "#packages/tables";
import { toLatex } from "#packages/tables/latex.ts";
import { readCurve } from "#server/domain/runs/table/reading.ts";

const { cells, runs } = expandPlan(
  checkPlan({ name: "proved", methods: ["grpo", "sampo"], environments: [{ id: "sokoban" }], seeds: [0, 1, 2] }),
);
const metric = "evaluation/successRate";
const make = (change = 0): BuilderInput => ({
  sweeps: [{ id: "s", name: "proved", planHash: "" }],
  cells: cells.map((cell) => ({ ...cell, sweepId: "s" })),
  runs: runs.map(({ cellIndex, seed }) => {
    const values = [0.25, 0.3 + 0.1 * seed, 0.5, 0.6 + 0.07 * cellIndex + (seed === 2 ? change : 0)];
    const curve = { iterations: Int32Array.of(0, 5, 10, 15), values: Float64Array.from(values) };
    return {
      runId: `r${cellIndex}${seed}`,
      cellIndex,
      seed,
      status: "finished",
      reason: "completed",
      iteration: 15,
      readings: new Map([[metric, readCurve(curve, { better: "up" })]]),
    };
  }),
});
const finalTable = (change?: number) => buildPreset("final", make(change), metric);
const query: TableQuery = { kind: "final", sweepIds: ["proved-1"], metric };

describe("a table's proof", () => {
  it("is of query, runs, unrounded numbers and code, not of words", () => {
    const table = finalTable();
    const text = proofText(query, table);
    expect(proofText(query, { ...table, caption: "another", notes: ["more"] })).toBe(text);
    expect(proofText({ ...query, metric: "evaluation/score" }, table)).not.toBe(text);
    expect(proofText(query, finalTable(1e-9))).not.toBe(text);
    expect(proofText(query, table, "tables-0")).not.toBe(text);
    expect(text).toContain('"r00"');
  });

  it("has a version that is raised when the same runs give other numbers", () => {
    const tables = [finalTable(), buildPreset("beforeAfter", make(), metric)];
    // A changed hash means that earlier tables can no longer be verified: increment tableCode with it.
    expect([tableCode, ...tables.map((table) => contentHash(proofText(query, table)))]).toMatchInlineSnapshot(`
      [
        "tables-11",
        "ed8094d79dc40d64",
        "942e1119e0a3fde0",
      ]
    `);
  });

  it("is printed in the comments of LaTeX and Markdown", () => {
    const table = finalTable();
    const proved = { ...table, provenance: { ...table.provenance, proof: "0123456789abcdef" } };
    expect(toLatex(proved)).toContain("% Proof: npx arlarena table verify 0123456789abcdef\n");
    expect(toMarkdown(proved)).toContain("; npx arlarena table verify 0123456789abcdef -->");
    expect(toLatex(table)).not.toContain("Proof");
  });

  it("is given when every run is over", () => {
    const table = finalTable();
    const all = new Map(table.rows.flatMap(({ runIds }) => runIds.map((id) => [id, "finished"] as const)));
    expect(canBeProved(table, all)).toBe(true);
    expect(canBeProved(table, new Map([...all, ["r00", "failed"] as const]))).toBe(true);
    expect(canBeProved(table, new Map([...all, ["r00", "running"] as const]))).toBe(false);
    expect(canBeProved(table, new Map())).toBe(false);
    // A run that is still in progress could join the table.
    expect(canBeProved(table, new Map([...all, ["later", "pending"] as const]))).toBe(false);
  });
});
