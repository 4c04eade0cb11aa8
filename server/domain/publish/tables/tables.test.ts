import { describe, expect, it } from "vitest";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { checkPlan } from "#server/domain/plan/sweep/plan.ts";
import { mean, std } from "#packages/statistics";
import { toPresetLongCsv } from "./builder/longCsv.ts";
import type { BuilderInput, BuilderRun } from "./builder/input.ts";
import { buildPreset } from "./builder/presets.ts";
import { type Table, type TableCell, markBest, toMarkdown } from "#packages/tables";
import { toCsv } from "#packages/tables/csv.ts";
import { escapeLatex, toLatex } from "#packages/tables/latex.ts";
import { escapeMarkdown } from "#packages/tables/markdown.ts";
import { readCurve } from "#server/domain/runs/table/reading.ts";

/** A plan of two environments and three methods, one with an axis; evaluations at iterations 0, 5, 10, 15, 20. */
const expansion = expandPlan(
  checkPlan({
    name: "a",
    methods: ["grpo", "grpoSt", "sampo"],
    environments: [{ id: "sokoban" }, { id: "sokoban", size: 8 }],
    seeds: [0, 1, 2],
  }),
);
const level = [0.4, 0.35, 0.75, 0.2, 0.2, 0.6];
const metric = "evaluation/successRate";
const runs = expansion.runs
  // One method has fewer seeds, and one run diverges at the end.
  .filter(({ cellIndex, seed }) => !(cellIndex === 4 && seed > 0))
  .map(({ cellIndex, seed }): BuilderRun => {
    const end = (level[cellIndex] ?? 0) + 0.0625 * seed;
    const values = [0.125, 0.25, end - 0.03125, end, cellIndex === 0 && seed === 2 ? NaN : end + 0.03125];
    const iterations = Int32Array.of(0, 5, 10, 15, 20);
    const reading = readCurve({ iterations, values: Float64Array.from(values) }, { better: "up" });
    return {
      runId: `run-${cellIndex}-${seed}`,
      cellIndex,
      seed,
      status: "finished",
      reason: "completed",
      iteration: 20,
      readings: new Map([
        [metric, reading],
        ["policy/klReference", reading],
      ]),
    };
  });
const input: BuilderInput = {
  sweeps: [{ id: "s", name: "50% & more_", planHash: "0123456789abcdef" }],
  cells: expansion.cells.map((cell) => ({ ...cell, sweepId: "s" })),
  runs,
};
const finalTable = (changed: Partial<BuilderInput> = {}) => buildPreset("final", { ...input, ...changed }, metric);
const successTable = (changed: Partial<BuilderInput> = {}) =>
  buildPreset("beforeAfter", { ...input, ...changed }, metric);
const tables = { finalWindow: finalTable(), success: successTable() };

describe("tables", () => {
  it.each([
    ["finalWindow.golden.tex", toLatex(tables.finalWindow)],
    ["finalWindow.golden.md", toMarkdown(tables.finalWindow)],
    ["finalWindow.golden.csv", toCsv(tables.finalWindow)],
    ["success.golden.tex", toLatex(tables.success)],
    ["success.golden.md", toMarkdown(tables.success)],
    ["success.golden.csv", toCsv(tables.success)],
    [
      "long.golden.csv",
      toPresetLongCsv(
        { ...input, runs: runs.filter(({ cellIndex, seed }) => cellIndex % 5 === 0 && seed === 2) },
        metric,
      ),
    ],
  ])("print %s", async (name, text) => {
    await expect(text).toMatchFileSnapshot(`./${name}`);
  });

  it("hold the mean and deviation of each run's last three evaluations", () => {
    const cell = tables.finalWindow.rows[2]?.cells[2];
    const perSeed = [0.75, 0.8125, 0.875];
    expect(cell).toEqual({
      kind: "meanStd",
      mean: expect.closeTo(mean(perSeed), 12),
      std: expect.closeTo(std(perSeed), 12),
      n: 3,
    });
  });

  it("give the same numbers through the long form", () => {
    const lines = toPresetLongCsv(input, metric)
      .split("\r\n")
      .map((line) => line.split(","));
    const head = lines[0] ?? [];
    const column = (name: string) => head.indexOf(name);
    const values = lines
      .filter((line) => line[column("checkpoint_rule")] === "final-window" && line[column("method")] === "SAMPO")
      .filter((line) => line[column("env")] === "Sokoban size 6")
      .map((line) => Number(line[column("value")]));
    expect(tables.finalWindow.rows[2]?.cells[2]).toMatchObject({
      mean: mean(values),
      std: std(values),
      n: values.length,
    });
  });

  it("have as many fields in each line as columns", () => {
    const body = toLatex(tables.finalWindow)
      .split("\n")
      .filter((line) => line.endsWith("\\\\"));
    expect(body.map((line) => line.split(" & ").length)).toEqual(body.map(() => tables.finalWindow.columns.length));
  });

  it("promise no spread where every method has one seed", () => {
    const single = { runs: runs.filter(({ seed }) => seed === 0) };
    for (const { caption } of [finalTable(single), successTable(single)]) {
      expect(caption).toContain("one seed each");
      expect(caption).not.toContain("±");
    }
    expect(tables.finalWindow.caption).toContain("mean [95 % CI] over 1–3 seeds");
  });

  it("say a missing cell with a dash and never with a zero", () => {
    const without = finalTable({ runs: runs.filter(({ cellIndex }) => cellIndex !== 1) });
    expect(without.rows[1]?.cells[2]).toEqual({ kind: "missing" });
    expect(toLatex(without)).toContain("GRPO$_{\\mathrm{ST}}$ & 0–1".replace("–", "--") + " & --");
  });

  it("work for a sweep without any result yet", () => {
    const empty = finalTable({ runs: [] });
    expect(toMarkdown(empty)).toContain("| GRPO | 0 | – | – |");
  });

  it("say which runs are not final, failed or cancelled", () => {
    const statuses = ["running", "failed", "cancelled", "finished"] as const;
    const withStatus = runs.map((run, i) => ({ ...run, status: statuses[i % 4] ?? "finished" }));
    expect(finalTable({ runs: withStatus }).notes).toEqual([
      "4 of 16 runs still in progress (numbers are provisional).",
      "4 of 16 runs failed (measurements until then are included).",
      "4 of 16 runs cancelled (measurements until then are included).",
      "1 of 16 runs with non-finite evaluations in the final window (these evaluations are not included).",
    ]);
  });

  it("rank downwards where less is better", () => {
    const kl = buildPreset("final", input, "policy/klReference");
    expect(kl.columns[2]).toMatchObject({ better: "down", format: { shift: 0 } });
    expect(markBest(kl).map((marks) => marks[2])).toEqual(["second", "best", "none"]);
  });
});

describe("markBest", () => {
  const make = (means: (number | null)[], better: "up" | "down" = "up"): Table => ({
    caption: "",
    label: "",
    columns: [{ key: "x", header: "x", better, format: { shift: 0, decimals: 1 } }],
    rows: means.map((x) => ({ cells: [toCell(x)], runIds: [] })),
    notes: [],
    provenance: { sweepName: "" },
  });
  const toCell = (x: number | null): TableCell => (x === null ? { kind: "missing" } : { kind: "number", value: x });

  it.each<[string, (number | null)[], "up" | "down", string]>([
    ["best and second", [1, 3, 2], "up", "none best second"],
    ["the lowest where less is better", [1, 3, 2], "down", "best none second"],
    ["both of two that look equal, and no second", [3.01, 1, 3.02, 2], "up", "best none best none"],
    ["nothing if more than half look equal", [3, 3, 1, 3], "up", "none none none none"],
    ["two seconds that look equal", [3, 2.01, 2, 1], "up", "best second second none"],
    ["by unrounded numbers which print apart", [2.04, 2.06, 1], "up", "second best none"],
    ["nothing in a column of one value", [null, 1], "up", "none none"],
    ["no second of two", [1, 2], "up", "none best"],
    ["missing values never", [null, 2, 1, NaN, 0], "up", "none best second none none"],
    ["ranks before rounding, marks by print", [9.96, 9.99, 10.04, 1, 2, 3], "up", "best best best none none none"],
  ])("marks %s", (_, means, better, expected) => {
    expect(
      markBest(make(means, better))
        .map(([mark]) => mark)
        .join(" "),
    ).toBe(expected);
  });
});

describe("blocks", () => {
  it("do not compete with each other", () => {
    const final = tables.success.columns.findIndex(({ key }) => key === "final");
    expect(markBest(tables.success).map((marks) => marks[final])).toEqual([
      "second",
      "none",
      "best",
      "second",
      "none",
      "best",
    ]);
  });
});

describe("escaping", () => {
  it("escapes LaTeX in one pass", () => {
    expect(escapeLatex("a_b & 5% \\ {x}")).toBe("a\\_b \\& 5\\% \\textbackslash{} \\{x\\}");
    expect(escapeLatex("±Δ↑↓−–~^<>$#")).toBe(
      "$\\pm$$\\Delta$$\\uparrow$$\\downarrow$$-$--\\textasciitilde{}\\textasciicircum{}\\textless{}\\textgreater{}\\$\\#",
    );
  });

  it("escapes Markdown and HTML", () => {
    expect(escapeMarkdown("a|b<script>")).toBe("a\\|b&lt;script&gt;");
    expect(escapeMarkdown("*x*\n_y_ `z` \\")).toBe("\\*x\\*<br>\\_y\\_ \\`z\\` \\\\");
  });

  it("cannot be broken out of by a sweep's name", () => {
    const name = "x --> <b>\n\\input{/etc/passwd} %";
    const table = finalTable({ sweeps: [{ id: "s", name, planHash: "" }] });
    expect(toMarkdown(table).match(/-->/g)).toHaveLength(1);
    expect(toLatex(table)).not.toContain("\n\\input");
    expect(toLatex(table).split("\n")[0]).toBe("% Sweep: x --> <b> \\input{/etc/passwd} %");
  });
});
