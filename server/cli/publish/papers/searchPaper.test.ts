import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { readSweep } from "#server/db/plan/sweeps.ts";
import { insertAttempt } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { findPaperItem, findRecipe } from "#server/domain/publish/papers/papers.ts";
import { launchPaper } from "./launchPaper.ts";
import { printResult } from "./printResult.ts";
import { makeSearched, searchPaper } from "./searchPaper.ts";

const database = await makeTestDatabase();
const home = await mkdtemp(join(tmpdir(), "arlarena-search-"));
afterAll(async () => void (await Promise.all([database.close(), rm(home, { recursive: true })])));

const screen = { width: undefined, height: undefined, hasColour: false, write: () => {} };
const studio = { database, address: undefined, home };
const item = findPaperItem("table3");
const recipe = { ...findRecipe(item, "embedded"), presets: ["paper-table3-sokoban"] };
const success = "evaluation/successRate";

async function finish(runId: string, values: readonly number[]): Promise<void> {
  const attemptId = await insertAttempt(database, runId, 1);
  const metricIds = [(await makeMetricIds(database.pool)([success])).get(success) ?? -1];
  const data = values.map((value, i) => {
    return { attemptId, seq: i, iteration: 6 * i, optimizerStep: i, atMs: 0, metricIds, values: [value] };
  });
  await database.prisma.metricRow.createMany({ data });
  const numLines = { numMetricLines: values.length, lastSeq: values.length - 1 };
  await database.prisma.attempt.update({ where: { id: attemptId }, data: numLines });
  await database.prisma.run.update({ where: { id: runId }, data: { status: "finished" } });
}

test("a search is launched, and what it chose is in the comparison's plan and under its table", async () => {
  const { text } = await searchPaper({ item, recipe, scale: "embedded" }, studio);
  const searchId = /--searched (\S+)$/.exec(text)?.[1] ?? "";
  await expect(makeSearched(database, [searchId])).rejects.toThrow("still in progress: 13 of 13 runs of");
  const runs = await database.prisma.run.findMany({ where: { sweepId: searchId }, include: { cell: true } });
  for (const { id, cell } of runs) {
    await finish(id, cell.method === "GSPO" ? [0.4, 0.9, 0.5, 0.2, 0.7] : [0.4, 0.6, 0.6, 0.6, 0.6]);
  }
  const revise = await makeSearched(database, [searchId]);
  await launchPaper({ item, recipe, scale: "embedded", format: "markdown", revise }, studio, screen);
  const comparison = await database.prisma.sweep.findFirstOrThrow({ where: { name: "Table 3, Sokoban" } });
  const [environment] = (await readSweep(database, comparison.id)).plan?.environments ?? [];
  expect(environment?.methods).toEqual({ gspo: { clipping: { low: 0.03, high: 0.04 } } });
  expect(environment?.search).toMatchObject({ sweep: searchId });
  const [firstRun] = await database.prisma.run.findMany({ where: { sweepId: comparison.id }, orderBy: { id: "asc" } });
  await finish(firstRun?.id ?? "", [0.4, 0.5, 0.5, 0.5]);
  const table = await printResult(studio, { id: item.id, recipe }, { sweeps: [comparison.id], format: "markdown" });
  expect(table.text).toContain(
    `were chosen by the hyperparameter search ${searchId}: SAPO as published (of 3); GSPO low 0.03, high 0.04 (of 3)`,
  );
});

test("a comparison whose search is not among those given is not launched", async () => {
  const revise = await makeSearched(database, []);
  const launched = launchPaper({ item, recipe, scale: "embedded", format: "markdown", revise }, studio, screen);
  await expect(launched).rejects.toThrow("none of the sweeps given is the search for Table 3, Sokoban");
});
