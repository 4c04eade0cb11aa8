import { expect, test } from "vitest";
import { publishedSettings } from "#server/domain/publish/papers/publishedSettings.ts";
import { findPaperItem, findRecipe, isDefinition } from "#server/domain/publish/papers/papers.ts";
import { answer } from "../../program.ts";
import { printDefinition } from "./printDefinition.ts";

const screen = { width: undefined, height: undefined, hasColour: false, write: () => {} };
/** Prints a table as rows of cells, without formatting marks. */
async function print(id: string, scale: "embedded" | "llm"): Promise<string[][]> {
  const { text } = await printDefinition({ id, scale, format: "markdown" });
  const lines = text.split("\n").filter((line) => line.startsWith("| "));
  return lines.map((line) => line.replaceAll("\\", "").slice(2, -2).split(" | "));
}

test("Table 1 names each method's choice in the four dimensions, without a studio", async () => {
  const { text, exitCode } = await answer(["paper", "table1", "--format", "csv"], screen);
  expect(exitCode).toBe(0);
  const rows = await print("table1", "embedded");
  // The mask and its threshold are those of ARLArena's scripts (δ = 3e-3), the ranges those of its Table S1.
  expect(rows).toContainEqual([
    "GRPO_SM",
    "Token mean",
    "Token clip, masked (low 0.2, high 0.2, dual 3, delta 3e-3)",
    "Group-relative",
    "Keep all",
  ]);
  expect(rows).toContainEqual([
    "SAMPO",
    "Turn mean",
    "Turn clip (low 3e-3, high 4e-3)",
    "Group in group (stepWeight 1, gamma 0.95)",
    "Dynamic (maxTries 3, coldStartIterations 0)",
  ]);
  for (const [method = ""] of rows.filter(([, aggregation]) => aggregation === "Token mean")) {
    expect(text).toContain(method);
  }
  expect((await printDefinition({ id: "table1", scale: "llm", format: "latex" })).text).toContain(
    String.raw`GRPO$_{\mathrm{ST}}$ & Turn mean & Token clip`,
  );
});

test("Table S1 sets every published setting beside the presets'", async () => {
  const rows = await print("tableS1", "embedded");
  expect(rows).toContainEqual(["Learning rate", "1e-6", "3e-4", "1e-6", "6e-4", "1e-6", "6e-4", "1e-6", "1e-4"]);
  expect(rows).toContainEqual(["Turns per episode", "50", "20", "15", "8", "15", "8", "5", "4"]);
  const settings = rows.slice(2).filter((cells) => cells.slice(1).some((cell) => cell.trim() !== ""));
  expect(settings).toHaveLength(publishedSettings.length);
  // A path that no run has would leave the cells here empty.
  const empty = settings.flatMap(([title, , alfworld]) => (alfworld === "–" ? [title] : []));
  expect(empty).toEqual(["Prompt tokens"]);
});

test("the released scripts differ from Table S1 in the settings that are known to differ", async () => {
  const rows = await print("tableS1", "llm");
  const differing = (column: number) =>
    rows.slice(2).flatMap((cells) => {
      const [paper = "", here = ""] = cells.slice(column, column + 2);
      return here.trim() === "" || here === "–" || here === "groupStd" || Number(paper) === Number(here)
        ? []
        : [`${cells[0]}: ${paper}, ${here}`];
    });
  expect(differing(1)).toEqual([
    "ε high: 4e-3, 4e-4",
    "ε low: 3e-3, 3e-4",
    "τ positive: 1, 2",
    "τ negative: 1.05, 2.1",
  ]);
  expect(differing(3)).toEqual([]);
  // Mathematics counts prompts, of five episodes each.
  expect(rows).toContainEqual(["Minibatch rows", "256", "256", "128", "128", "64", "64", "128 prompts", "640"]);
});

test("a definition has no sweeps, and other tables are no definitions", async () => {
  expect(isDefinition("TableS1", "llm")).toBe(true);
  expect(isDefinition("table3", "embedded")).toBe(false);
  expect(findRecipe(findPaperItem("table1"), "embedded").presets).toEqual([]);
  const refused = printDefinition({ id: "table1", scale: "embedded", format: "csv", from: ["a"] });
  await expect(refused).rejects.toThrow("table1 needs no sweeps: leave out --from");
});
