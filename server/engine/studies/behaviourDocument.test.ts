import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { divisions } from "#server/domain/analysis/behaviour/groupEpisodes.ts";
import { answer } from "#server/api/publish/answers.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { printResult } from "#server/cli/publish/papers/printResult.ts";
import { findPaperItem, findRecipe } from "#server/domain/publish/papers/papers.ts";
import { importStudy } from "./importStudy.ts";

const database = await makeTestDatabase();
const home = await mkdtemp(join(tmpdir(), "arlarena-behaviour-"));
afterAll(async () => {
  await database.close();
  await rm(home, { recursive: true, force: true });
});

/** Text of the document, with its breaks of lines as spaces. */
const readDocument = async () => (await readFile(join("docs", "behaviour.md"), "utf8")).replaceAll(/\s+/g, " ");

it("docs/behaviour.md quotes the sentences and the transitions of the recorded study", async () => {
  const { sweeps } = await importStudy(database, home, join("studies", "behaviour", "webshop.arlarena"));
  const sweepIds = sweeps.map(({ id }) => id);
  const text = await readDocument();
  for (const by of divisions) {
    const { sentence = "", table } = await answer(database, "behaviour", { sweepIds, by, depth: 8, threshold: 0.03 });
    expect(text).toContain(sentence);
    for (const note of table.notes.slice(0, 2)) expect(text).toContain(note);
  }
  const failing = ["figureS3", "figureS5"];
  for (const id of ["figureS2", "figureS3", "figureS4", "figureS5"]) {
    const { text: csv, patterns } = await printFlow(id, sweepIds);
    expect(csv.includes(",Success,")).toBe(!failing.includes(id));
    expect(text).toContain(patterns);
  }
});

it("docs/behaviour.md quotes the study in ALFWorld", async () => {
  const { sweeps } = await importStudy(database, home, join("studies", "behaviour", "alfworld.arlarena"));
  const sweepIds = sweeps.map(({ id }) => id);
  const text = await readDocument();
  const asked = { sweepIds, by: "training", depth: 8, threshold: 0.03 } as const;
  const { sentence, table } = await answer(database, "behaviour", asked);
  const failed = await answer(database, "behaviour", { ...asked, only: "failure" });
  for (const told of [sentence, ...table.notes.slice(0, 2), ...failed.table.notes.slice(2, 4)]) {
    expect(text).toContain(told);
  }
  const { text: csv, patterns } = await printFlow("figureS6", sweepIds);
  expect(csv).not.toContain(",Success,");
  expect(text).toContain(patterns);
});

/** Prints a figure of the paper of these sweeps. Its remarks are the counts, the patterns, and the page that draws it. */
async function printFlow(id: string, sweeps: readonly string[]) {
  const recipe = findRecipe(findPaperItem(id), "embedded");
  const studio = { database, address: "http://127.0.0.1:1" };
  const { text, remarks = [] } = await printResult(studio, { id, recipe }, { sweeps, format: "csv" });
  expect(remarks[2]).toContain("/analysis/behaviour?sweep=");
  return { text, patterns: remarks[1] ?? "" };
}
