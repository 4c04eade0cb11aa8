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
  const studio = { database, address: "http://127.0.0.1:1" };
  for (const [id, group] of Object.entries({
    figureS2: "Before",
    figureS3: "Before",
    figureS4: "After",
    figureS5: "After",
  })) {
    const printed = await printResult(
      studio,
      { id, recipe: findRecipe(findPaperItem(id), "embedded") },
      { sweeps: sweepIds, format: "csv" },
    );
    // Figures S3 and S5 show failures only.
    expect(printed.text.includes(",Success,")).toBe(id === "figureS2" || id === "figureS4");
    const [counted = "", patterns = ""] = printed.remarks ?? [];
    expect(counted).toMatch(new RegExp(`^${group} training: `));
    expect(text).toContain(patterns);
    expect(printed.remarks).toContainEqual(expect.stringContaining("/analysis/behaviour?sweep="));
  }
}, 60_000);
