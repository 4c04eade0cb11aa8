import { describe, expect, it } from "vitest";
import { compareMethods, parseLongFormat } from "#packages/statistics";
import { welchTest } from "#packages/statistics/twoSampleTests.ts";
import { markBest, type Table, toHtml, toMarkdown } from "#packages/tables";
import { toCsv } from "#packages/tables/csv.ts";
import { toLatex } from "#packages/tables/latex.ts";
import { checkPlan } from "#server/domain/plan/sweep/plan.ts";
import { build, buildLong, flat, join, make, makeFrom, success } from "../testing/builderInput.ts";
import { computeTable } from "./compute.ts";
import { layTable } from "./layout.ts";
import { sayTable } from "./sentence.ts";
import { fillOptions, type TableOptions } from "./options.ts";
import { listGroups } from "./headings.ts";
import { buildPreset } from "./presets.ts";

const cellAt = ({ columns, rows }: Table, row: number, key: string) =>
  rows[row]?.cells[columns.findIndex((column) => column.key === key)];
const namesOf = ({ rows }: Table) =>
  rows.map(({ cells }) => cells[0]).map((cell) => (cell?.kind === "text" ? cell.text : ""));
const sokoban = `Sokoban: ${success}`;

describe("sayTable", () => {
  const say = (input: ReturnType<typeof make>, options: TableOptions = {}) =>
    sayTable(computeTable(layTable(input, fillOptions({ metrics: [success], ...options }))));

  it("names the best two rows with their intervals, and the significant differences from the baseline", () => {
    expect(say(make(), { interval: "std" })).toBe(
      "Highest success rate: SAMPO, 82.0 [80.0, 84.0] %, then GSPO, 72.0 [70.0, 74.0] %; 3 rows differ significantly from GRPO.",
    );
    expect(say(make({ value: (_, s) => 0.5 + 0.01 * s }))).toMatch(/; no difference from GRPO is significant\.$/);
  });

  it("says nothing of a test where there is none, one sentence per environment, and none about a single row", () => {
    expect(say(make({ seeds: [0, 1] }))).toMatch(/^Highest success rate: SAMPO, 80.5 %, then GSPO, 70.5 %\.$/);
    const both = say(make({ environments: [{ id: "sokoban" }, { id: "webshop" }] }));
    expect(both).toMatch(/^In Sokoban, highest success rate: SAMPO, .* In WebShop, highest success rate: SAMPO, /);
    expect(say(make({ methods: ["grpo"] }))).toBe("");
  });
});

describe("buildTable", () => {
  it("puts methods under the dimension in which they leave GRPO", () => {
    const { rows } = build(make(), {});
    expect(rows.map(({ heading }) => heading)).toEqual([
      "Baseline",
      "Loss aggregation",
      "Ratio clipping",
      "Several dimensions",
    ]);
  });

  it("counts an aggregation that a clipping fixes as no second dimension", () => {
    const { rows } = build(make({ methods: ["grpo", "gspo", "gmpo"] }), {});
    expect(rows.flatMap(({ heading }) => heading ?? [])).toEqual(["Baseline", "Ratio clipping", "Ratio clipping"]);
  });

  it("shows mean and the deviation, error or interval that is asked for", () => {
    const shown = (interval: "std" | "sem" | "t" | "bootstrap" | "none") =>
      cellAt(build(make(), { interval }), 0, sokoban);
    const values = [0.5, 0.51, 0.52, 0.53, 0.54];
    const deviation = Math.sqrt(values.reduce((sum, x) => sum + (x - 0.52) ** 2, 0) / 4);
    expect(shown("std")).toMatchObject({ n: 5, shown: { kind: "plusMinus", value: expect.closeTo(deviation) } });
    expect(shown("sem")).toMatchObject({ shown: { value: expect.closeTo(deviation / Math.sqrt(5)) } });
    const half = (2.776445 * deviation) / Math.sqrt(5);
    expect(shown("t")).toMatchObject({
      shown: { kind: "interval", low: expect.closeTo(0.52 - half, 6), high: expect.closeTo(0.52 + half, 6) },
    });
    expect(shown("none")).toMatchObject({ shown: { kind: "none" } });
    expect(shown("bootstrap")).toMatchObject({ shown: { kind: "interval" } });
  });

  it("ends a t interval of rates at 0 and 1, and shows its ends there", () => {
    const table = build(make({ value: (_, s) => [0.7, 0.95, 0.99, 1, 1][s] ?? 0 }), { interval: "t" });
    expect(cellAt(table, 0, sokoban)).toMatchObject({
      interval: { low: expect.closeTo(0.77, 2), high: 1 },
      shown: { kind: "interval", high: 1 },
    });
  });

  it("promises no spread that the seeds are too few for", () => {
    const captionOf = (seeds: number[], interval: "std" | "t" | "bootstrap") =>
      build(make({ seeds }), { interval }).caption;
    expect(captionOf([0, 1], "std")).toContain("Mean ± standard deviation (sd) over 2 seeds");
    expect(captionOf([0], "std")).toContain(
      "Mean (no standard deviation (sd): that needs at least 2 seeds) over 1 seed",
    );
    expect(captionOf([0, 1], "t")).toContain("that needs at least 3 seeds) over 2 seeds");
    expect(captionOf([0, 1, 2], "bootstrap")).toContain("that needs at least 5 seeds) over 3 seeds");
  });

  it("stars what is better than the baseline at p after Holm, and nothing below five seeds", () => {
    const cell = cellAt(build(make(), {}), 3, sokoban);
    const values = (c: number) => [0, 1, 2, 3, 4].map((s) => 0.5 + 0.1 * c + 0.01 * s);
    // Holm's correction multiplies the smallest of three p-values by three.
    const p = welchTest(values(3), values(0)).p;
    expect(cell).toMatchObject({ stars: "***", correctedP: expect.closeTo(3 * p, 12) });
    const few = build(make({ seeds: [0, 1, 2] }), {});
    expect(cellAt(few, 3, sokoban)).toMatchObject({ stars: "", correctedP: expect.any(Number) });
    expect(few.rows[3]?.caveat?.word).toBe("underpowered");
    expect(few.notes.join(" ")).toContain("All rows: underpowered: 3 seeds");
    const two = cellAt(build(make({ seeds: [0, 1] }), { interval: "t" }), 3, sokoban);
    expect(two).toMatchObject({ shown: { kind: "none" }, stars: "" });
    expect(two).not.toHaveProperty("correctedP");
  });

  it("does not star what is worse", () => {
    const table = build(make({ value: (c, s) => 0.9 - 0.1 * c + 0.01 * s }), {});
    expect(cellAt(table, 3, sokoban)).toMatchObject({ stars: "" });
    expect(table.notes.join(" ")).toContain("No stars:");
  });

  it("tests means by permutation where seeds collapsed", () => {
    const input = make({ change: (c, s) => (c === 1 && s === 0 ? { collapse: { hasCollapsed: true } } : {}) });
    const table = build(input, {});
    expect(table.caption).toContain("permutation test of means");
    expect(cellAt(table, 1, "collapsed")).toEqual({ kind: "share", k: 1, n: 5 });
    expect(cellAt(build(input, { collapse: "marks" }), 1, sokoban)).toMatchObject({ numCollapsed: 1 });
  });

  it("names the test for collapsed seeds last, whichever environment has them", () => {
    const table = build(
      make({
        environments: [{ id: "sokoban" }, { id: "alfworld" }],
        // Consecutive cells alternate between the environments.
        change: (c, s) => ({ collapse: { hasCollapsed: c === 2 && s === 0 } }),
      }),
      {},
    );
    expect(table.caption).toContain("Welch's t-test or, where seeds collapsed, a permutation test of means, two-sided");
  });

  it("stars nothing in columns without a direction, where nothing is better, and keeps the corrected p", () => {
    const entropy = "policy/entropy";
    const input = make({
      change: (c, s) => ({ curves: new Map([success, entropy].map((key) => [key, flat(0.5 + 0.1 * c + 0.01 * s)])) }),
    });
    const alone = build(input, { metrics: [entropy] });
    expect([toLatex(alone), toMarkdown(alone), toHtml(alone)].join("\n")).not.toMatch(/\{\*\}|\\\*|<sup>\*/);
    expect(alone.caption).not.toContain("better than");
    expect(alone.notes.join(" ")).not.toContain("starred");
    expect(toCsv(alone)).toContain("p_holm");
    expect(cellAt(alone, 3, `Sokoban: ${entropy}`)).toMatchObject({ correctedP: expect.any(Number) });
    const both = build(input, { metrics: [success, entropy] });
    expect(both.caption).toContain("*: better than GRPO");
    expect(toMarkdown(both).match(/<sup>\\\*\\\*\\\*<\/sup>/g)).toHaveLength(3);
  });

  it("counts among its runs those that wait to take the place of another, as long as they are shown", () => {
    const failed = make({
      seeds: [0, 1],
      methods: ["grpo", "sampo"],
      change: (c, s) => (c === 0 && s === 0 ? { status: "failed", reason: "out_of_memory", curves: new Map() } : {}),
    });
    const pending = make({
      id: "t",
      name: "Again",
      seeds: [0],
      methods: ["grpo"],
      change: () => ({ status: "pending", reason: null, curves: new Map() }),
    });
    const open = (options: TableOptions) =>
      layTable(join(failed, pending), fillOptions(options)).runs.filter(({ status }) => status === "pending");
    expect(build(join(failed, pending), {}).rows[0]?.runIds).toEqual(["s-0-0", "s-0-1"]);
    expect(open({}).map(({ runId }) => runId)).toEqual(["t-0-0"]);
    expect(open({ without: ["GRPO"] })).toEqual([]);
    expect(open({ withoutEnvironments: ["Sokoban"] })).toEqual([]);
  });

  it("says in footnotes which seeds are missing, stopped, diverged or still training", () => {
    const table = build(
      make({
        change: (c, s) => {
          if (c === 0 && s === 1) return { status: "failed", reason: "out_of_memory", curves: new Map() };
          if (c === 0 && s === 2) return { status: "cancelled", reason: "stopped_by_rule", iteration: 12 };
          if (c === 1 && s === 0) return { status: "failed", reason: "diverged", iteration: 7 };
          if (c === 2 && s === 3) return { status: "running", reason: null, iteration: 15 };
          if (c === 3) return { status: "failed", reason: "diverged", curves: new Map() };
          return {};
        },
      }),
      {},
    );
    expect(table.footnotes).toEqual([
      {
        mark: "a",
        text: "Not counted, because there is no value: seed 1 (out of memory). Stopped early, counted with the measurements so far: seed 2 (stopped by rule, iteration 12).",
      },
      { mark: "b", text: "Diverged, counted up to the last finite value: seed 0 (iteration 7)." },
      { mark: "c", text: "Provisional, still training: seed 3 (iteration 15)." },
      { mark: "d", text: "Not counted, because there is no value: seeds 0, 1, 2, 3, 4 (diverged)." },
    ]);
    expect(cellAt(table, 0, sokoban)).toMatchObject({ n: 4, marks: ["a"] });
    expect(cellAt(table, 3, sokoban)).toEqual({ kind: "missing", marks: ["d"], isDiverged: true });
    expect(toLatex(table)).toContain("\\textsc{nan}$^{d}$");
  });

  it("recomputes changes from unrounded means, in percent or points, and never for the baseline", () => {
    const table = build(make(), { change: "relative" });
    expect(namesOf(table)).toEqual(["GRPO", "GRPO_ST", "Δ vs GRPO", "GSPO", "Δ vs GRPO", "SAMPO", "Δ vs GRPO"]);
    expect(cellAt(table, 2, sokoban)).toEqual({
      kind: "change",
      of: "percent",
      value: expect.closeTo((100 * 0.1) / 0.52),
    });
    const points = build(make(), { change: "points" }, { ours: "SAMPO" });
    expect(namesOf(points)).toEqual(["GRPO", "GRPO_ST", "GSPO", "SAMPO", "Δ vs GRPO"]);
    expect(cellAt(points, 4, sokoban)).toEqual({ kind: "change", of: "points", value: expect.closeTo(0.3) });
    expect(toLatex(points)).toContain("\\rowcolor{gray!12} \\quad $\\Delta$ vs GRPO &  & +30.0");
  });

  it("joins the seeds of one configuration over sweeps, and counts a repeated seed once", () => {
    const input = join(make({ seeds: [0, 1, 2] }), make({ id: "t", name: "More", seeds: [2, 3] }));
    const table = build(input, {});
    expect(cellAt(table, 0, sokoban)).toMatchObject({ n: 4, marks: ["a"] });
    expect(table.footnotes?.[0]?.text).toBe("Trained twice, and only the first run counted: seed 2.");
    expect(table.rows[0]?.runIds).toEqual(["s-0-0", "s-0-1", "s-0-2", "t-0-3"]);
  });

  it("keeps configurations apart that differ in a setting, and environments in columns of their own", () => {
    const other = make({ id: "t", name: "Larger", methods: ["grpo"], environments: [{ id: "sokoban", size: 8 }] });
    const both = build(join(make({ methods: ["grpo"] }), other), { average: true });
    expect(both.rows).toHaveLength(1);
    expect(both.columns.map(({ header }) => header)).toEqual([
      "Method",
      "n",
      "Sokoban size 6",
      "Sokoban size 8",
      "Avg.",
      "Coll.",
    ]);
    const varied = make({ methods: ["grpo", "sampo"], axes: { "update.epochs": [1, 2] } });
    const table = build(varied, { group: "update.epochs" });
    expect(table.rows.map(({ heading }) => heading)).toEqual(
      Array.from([1, 1, 2, 2], (n) => expect.stringContaining(` ${n}`)),
    );
    expect(listGroups(varied).map(({ value }) => value)).toContain("update.epochs");
    const clash = make({ id: "t", name: "Longer", methods: ["grpo"], axes: { "update.epochs": [3] } });
    expect(build(join(make({ methods: ["grpo"] }), clash), {}).rows).toHaveLength(2);
  });

  it("warns of the best checkpoint, and takes the last one without its name", () => {
    const rising = make({ methods: ["grpo"] });
    expect(build(rising, { rule: "best" }).notes[0]).toMatch(/^Best: selected on the same data, so biased upwards:/);
    expect(build(rising, { rule: "last" }).caption).toContain("(last evaluation of ");
  });

  it("leaves rows and environments out that are not wanted, and refuses a baseline that is not there", () => {
    expect(namesOf(build(make(), { without: ["GSPO"] }))).toEqual(["GRPO", "GRPO_ST", "SAMPO"]);
    expect(build(make(), { withoutEnvironments: ["Sokoban"] }).rows[0]?.runIds).toEqual([]);
    expect(() => build(make(), { baseline: "PPO" })).toThrow('there is no row "PPO" to compare with');
    expect(build(make(), { baseline: "" }).caption).not.toContain("better than");
  });

  it("tells no number of episodes that nobody gave, and heads no column with an environment that nobody named", () => {
    const imported = (numHeldOut: number, metric: string, environment = "unknown") => {
      const input = make({ methods: ["grpo"], change: () => ({ curves: new Map([[metric, flat(0.5)]]) }) });
      const sampling = { numEpisodes: 128, groupSize: 8, numHeldOut };
      const spec = { kind: "imported", environment: { id: environment }, method: "X", sampling } as const;
      const cells = input.cells.map((cell) => ({ ...cell, spec: { ...spec, budget: { iterations: 20 } } }));
      return build({ ...input, cells }, { metrics: [metric] });
    };
    expect(imported(128, success).caption).toContain("(final window: the last 10 % of evaluations, at least 3)");
    expect(imported(64, success).caption).toContain("(final window: the last 10 % of evaluations of 64 episodes,");
    const training = imported(64, "rollout/successRate");
    expect(training.caption).toContain("(final window: the last 10 % of logged values, at least 3)");
    expect(training.columns.map(({ header }) => header)).toEqual(["Method", "n", "Success rate (training)", "Coll."]);
    expect(imported(64, success, "Kitchen").columns[2]?.header).toBe("Kitchen");
  });

  it("means the same in its long form, as the comparison of files reads it", () => {
    const input = make();
    const comparison = compareMethods(parseLongFormat(buildLong(input, {}).replaceAll("\r\n", "\n")), {
      metric: success,
      rule: "final-window",
    });
    const table = build(input, {});
    const [panel, ...others] = comparison.panels;
    expect(others).toEqual([]);
    expect(panel?.methods).toHaveLength(4);
    for (const [r, { mean, std, n, against }] of (panel?.methods ?? []).entries()) {
      const { correctedP } = against ?? {};
      expect(cellAt(table, r, sokoban)).toMatchObject({ mean, std, n, ...(r > 0 && { correctedP }) });
    }
  });
});

const table = build(
  make({
    value: (c, s) => ([0.5, 0.3, 0.7, 0.6][c % 4] ?? 0) + 0.01 * ((s * (c + 1)) % 5),
    environments: [{ id: "sokoban" }, { id: "alfworld" }],
    change: (c, s) => (c === 1 && s === 0 ? { status: "failed", reason: "diverged", iteration: 7 } : {}),
  }),
  { change: "relative", average: true },
  { ours: "SAMPO" },
);

describe("the best value", () => {
  const evaluatedOn = (id: string, numEpisodes: number, change: object) =>
    makeFrom(checkPlan({ name: id, seeds: [0, 1, 2], base: { evaluation: { numEpisodes } }, ...change }), {
      id,
      value: (cell, seed) => (id === "large" ? 0.9 : 0.5 + 0.2 * cell) + 0.01 * seed,
      change: (cell) => ({ collapse: { hasCollapsed: id === "small" && cell === 0 } }),
    });
  const sokoban = { environments: [{ id: "sokoban" }] };
  const marksOf = (shown: Table, key: string) => {
    const c = shown.columns.findIndex((column) => column.key === key);
    return markBest(shown).map((row) => row[c]);
  };

  it("is never that of another evaluation set", () => {
    const small = evaluatedOn("small", 32, { methods: ["grpo", "sampo"], ...sokoban });
    const large = evaluatedOn("large", 64, { methods: ["gspo"], ...sokoban });
    const shown = build(join(small, large), { group: "none", average: true });
    const [column = ""] = shown.columns.map(({ key }) => key).filter((key) => key.includes("successRate"));
    expect(shown.rows.map((row) => row.cells[0])).toMatchObject([
      { text: "GRPO" },
      { text: "SAMPO" },
      { text: "GSPO" },
    ]);
    // SAMPO leads within 32 episodes. GSPO's 90 % is of other tasks and the only value there.
    expect(marksOf(shown, column)).toEqual(["none", "best", "none"]);
    expect(marksOf(shown, "collapsed")).toEqual(["none", "best", "none"]);
    expect(shown.caption).toContain("Best bold, second underlined, per column and task");
    expect(build(small, {}).caption).toContain("Best bold, second underlined, per column.");
    const preset = buildPreset("final", join(small, large), success);
    expect(marksOf(preset, preset.columns.at(-1)?.key ?? "")).toEqual(["none", "best", "none"]);
  });

  it("marks no value that more than half of the rows share", () => {
    const shown = build(evaluatedOn("small", 32, { methods: ["grpo", "sampo", "gspo", "sapo"], ...sokoban }), {});
    expect(marksOf(shown, "collapsed"), "3/3 once, 0/3 three times").toEqual(["none", "none", "none", "none"]);
  });

  it("counts collapses within the same environments", () => {
    const small = evaluatedOn("small", 32, { methods: ["grpo", "sampo"], ...sokoban });
    const other = evaluatedOn("large", 32, { methods: ["gspo"], environments: [{ id: "alfworld" }] });
    expect(marksOf(build(join(small, other), { group: "none" }), "collapsed")).toEqual(["none", "best", "none"]);
  });
});

describe("a built table", () => {
  it.each([
    ["built.golden.tex", toLatex(table)],
    ["built.golden.md", toMarkdown(table)],
    ["built.golden.html", toHtml(table)],
    ["built.golden.csv", toCsv(table)],
  ])("prints %s", async (name, text) => {
    await expect(text).toMatchFileSnapshot(`./${name}`);
  });

  it("has as many ampersands in every line of its body as columns less one, or spans them all", () => {
    const lines = toLatex(table).split("\n");
    const body = lines.slice(lines.indexOf("\\midrule") + 1, lines.indexOf("\\bottomrule"));
    for (const line of body.filter((text) => text !== "\\midrule" && !text.startsWith("\\multicolumn"))) {
      expect(line.match(/(?<!\\)&/g)).toHaveLength(table.columns.length - 1);
    }
  });
});
