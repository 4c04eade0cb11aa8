import { describe, expect, it } from "vitest";
import { type Table, toHtml, toMarkdown } from "#packages/tables";
import { toCsv } from "#packages/tables/csv.ts";
import { toLatex } from "#packages/tables/latex.ts";
import { proofText } from "../proof.ts";
import { build, flat, join, make, success } from "../testing/builderInput.ts";
import { shortOptions, TableOptions, type TableColumn } from "./options.ts";

const score = "evaluation/score";
/** Two sweeps: Sokoban with four methods, WebShop with two of them; each run's score is half of its success. */
const both = () =>
  join(
    make({
      id: "a",
      methods: ["grpo", "gspo", "dapoGigpo", "sampo"],
      change: (c, s) => curvesAt(0.5 + 0.1 * c + 0.01 * s),
    }),
    make({
      id: "b",
      methods: ["grpo", "sampo"],
      environments: [{ id: "webshop" }],
      change: (c) => curvesAt(0.2 + 0.3 * c),
    }),
  );
const curvesAt = (level: number) => ({
  curves: new Map([
    [success, flat(level)],
    [score, flat(level / 2)],
  ]),
});
const columns: TableColumn[] = [
  { environment: "WebShop", metric: score, header: "Score" },
  { environment: "WebShop", metric: success, header: "Succ.", averaged: true },
  { environment: "Sokoban", metric: success, header: "Succ.", averaged: true },
];
const options = { columns, test: "none", collapse: "none", group: "paper" } as const;
const rowOf = ({ rows }: Table, name: string) =>
  rows.find(({ cells: [first] }) => first?.kind === "text" && first.text === name);

describe("columns chosen by hand", () => {
  it("stand in their order under their names, each with its metric in its environment", () => {
    const table = build(both(), options);
    expect(table.columns.map(({ group = "", header }) => `${group} ${header}`.trim())).toEqual([
      "Method",
      "n",
      "WebShop Score",
      "WebShop Succ.",
      "Sokoban Succ.",
    ]);
    expect(rowOf(table, "SAMPO")?.cells.slice(2)).toMatchObject([
      { mean: 0.25 },
      { mean: 0.5 },
      { mean: expect.closeTo(0.82) },
    ]);
    expect(rowOf(table, "GSPO")?.cells[2]).toMatchObject({ kind: "missing" });
    expect(table.caption).toContain("Score (%), Success rate (%)");
  });

  it("leave environments out that no column names, with their runs", () => {
    const table = build(both(), { ...options, columns: columns.slice(0, 2) });
    expect(table.rows.flatMap(({ runIds }) => runIds).every((id) => id.startsWith("b-"))).toBe(true);
  });

  it("put methods under the paper's headings", () => {
    const headings = build(both(), options).rows.map(({ heading }) => heading);
    expect(headings).toEqual(["Baseline", "IS clipping", "Dynamic sampling", "SAMPO"]);
  });

  it("are averaged where they say so, of what is there with its number if that is asked for", () => {
    const averageIn = (averageOf: "complete" | "present", name: string) =>
      rowOf(build(both(), { ...options, average: true, averageOf }), name)?.cells.at(-1);
    expect(averageIn("complete", "SAMPO")).toEqual({ kind: "number", value: expect.closeTo((0.5 + 0.82) / 2) });
    expect(averageIn("complete", "GSPO")).toEqual({ kind: "missing" });
    expect(averageIn("present", "GSPO")).toEqual({
      kind: "number",
      value: expect.closeTo(0.62),
      partOf: { n: 1, of: 2 },
    });
    expect(toMarkdown(build(both(), { ...options, average: true, averageOf: "present" }))).toContain("62.0 (1 of 2)");
  });

  it("refuse an average over different units, and the same column twice", () => {
    const mixed = columns.map((column) => ({ ...column, averaged: true }));
    const reward = { environment: "Sokoban", metric: "evaluation/returnMean", averaged: true };
    expect(() => build(both(), { ...options, columns: [...mixed, reward], average: true })).toThrow(
      "different units (%, reward)",
    );
    expect(TableOptions.safeParse({ columns: [columns[0], columns[0]] }).error?.issues[0]?.message).toBe(
      "two columns show the same metric in the same environment",
    );
  });

  it("leave the proofs of tables without them as they were", () => {
    expect(shortOptions({ metrics: [success], columns: [], averageOf: "complete" })).toEqual({});
  });
});

describe("changes behind the numbers", () => {
  it("have no rows, and an arrow that says whether the number grew", () => {
    const table = build(both(), { ...options, change: "relative" }, { changeIn: "cell", ours: "SAMPO" });
    expect(table.rows).toHaveLength(4);
    // The value 0.5 is 150 % more than GRPO's 0.2.
    expect(toMarkdown(table)).toContain("(↑150.0 %)");
    expect(toLatex(table)).toContain("{\\scriptsize ($\\uparrow$150.0\\,\\%)}");
    expect(toHtml(table)).toContain("<small> (↑150.0 %)</small>");
    expect(toMarkdown(table).match(/↑/g)?.length).toBe(3 + 3);
    const points = build(both(), { ...options, change: "points", baseline: "SAMPO" }, { changeIn: "cell" });
    expect(toMarkdown(points)).toContain("(↓30.0)");
  });
});

describe("rows typed in", () => {
  const references = [
    { method: "GRPO", source: "A paper", values: [75.32, 57.71, 83.9] },
    { method: "SAMPO", source: "A paper", values: [null, 77.73, null] },
  ];
  const typed = () => build(both(), { ...options, average: true, averageOf: "present" }, { references });

  it("stand under their source, in the unit of the column, without runs, rank or seeds", () => {
    const rows = typed().rows.slice(-2);
    expect(rows).toMatchObject([
      { heading: "A paper (typed in, not run here)", isReference: true, runIds: [] },
      {
        isReference: true,
        cells: [
          { text: "SAMPO" },
          { text: "" },
          { kind: "missing" },
          { value: expect.closeTo(0.7773) },
          { kind: "missing" },
          { partOf: { n: 1, of: 2 } },
        ],
      },
    ]);
    // The reference value 83.9 is not marked, although it would be the best of its column.
    expect(toMarkdown(typed())).toContain("*83.9*");
    expect(toMarkdown(typed())).toContain("**82.0**");
    expect(toLatex(typed())).toContain("\\textit{83.9}");
    expect(toCsv(typed())).toContain("typed in");
  });

  it("are no part of the proof", () => {
    const query = { kind: "built", sweepIds: ["a", "b"], options } as const;
    const [with_, without] = [typed(), build(both(), { ...options, average: true, averageOf: "present" })];
    expect(with_.rows.length).toBe(without.rows.length + 2);
    expect(proofText(query, { ...with_, rows: with_.rows.filter(({ isReference }) => isReference !== true) })).toBe(
      proofText(query, without),
    );
  });
});
