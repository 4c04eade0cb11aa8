import { afterAll, beforeAll, expect, test } from "vitest";
import { makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { insertAttempt, insertSweep } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { findPaperItem, findRecipe } from "#server/domain/publish/papers/papers.ts";
import { printResult } from "./printResult.ts";

const database = await makeTestDatabase();
const studio = { database, address: "http://127.0.0.1:1" };
const success = "evaluation/successRate";

/** Stores two seeds of one cell; the second seed ended an iteration earlier. */
beforeAll(async () => {
  await insertSweep(database, "rooms", ["r0", "r1"]);
  const [first] = await database.prisma.cell.findMany({ where: { sweepId: "rooms" }, orderBy: { index: "asc" } });
  await database.prisma.run.updateMany({ data: { cellId: first?.id ?? -1 } });
  await database.prisma.cell.deleteMany({ where: { runs: { none: {} } } });
  await log("r0", [0.25, 0.5, 0.75]);
  await log("r1", [0.5, 1]);
});
afterAll(() => database.close());

async function log(runId: string, values: readonly number[]): Promise<void> {
  const attemptId = await insertAttempt(database, runId, 1);
  const metricId = (await makeMetricIds(database.pool)([success])).get(success) ?? -1;
  await database.prisma.metricRow.createMany({
    data: values.map((value, i) => ({
      attemptId,
      seq: i,
      iteration: i + 1,
      optimizerStep: i + 1,
      atMs: 0,
      metricIds: [metricId],
      values: [value],
    })),
  });
  const numLines = { numMetricLines: values.length, lastSeq: values.length - 1 };
  await database.prisma.attempt.update({ where: { id: attemptId }, data: numLines });
  await database.prisma.run.update({ where: { id: runId }, data: { status: "finished", seed: Number(runId[1]) } });
}

test("a figure is its curves as lines: mean, interval and deviation of its seeds, and where they are drawn", async () => {
  const item = findPaperItem("figure3");
  const recipe = findRecipe(item, "embedded");
  const { text, remarks } = await printResult(studio, { id: item.id, recipe }, { sweeps: ["rooms"], format: "csv" });
  expect(text.split(/\r?\n/)).toEqual([
    "metric,environment,method,setting,iteration,n,measured,mean,low,high,sd",
    expect.stringMatching(/^evaluation\/successRate,sokoban,GRPO,,1,2,2,0\.375,,,0\.17677/),
    expect.stringMatching(/^evaluation\/successRate,sokoban,GRPO,,2,2,2,0\.75,,,0\.35355/),
    "evaluation/successRate,sokoban,GRPO,,3,1,1,0.75,,,",
  ]);
  expect(remarks).toContain("Drawn: http://127.0.0.1:1/analysis/claims/figure3?sweep=rooms");
  expect(remarks).toContain(
    "Differs: The experiment runs on Sokoban instead of ALFWorld, because methods differ there after the fewest iterations.",
  );
});

test("a table has the paper's columns, ours beside the published rows, and what differs as remarks", async () => {
  const item = findPaperItem("table3");
  const recipe = findRecipe(item, "embedded");
  const { text, remarks } = await printResult(
    studio,
    { id: item.id, recipe },
    { sweeps: ["rooms"], format: "markdown" },
  );
  // The value is the mean of the seeds' final windows, (0.25 + 0.5 + 0.75) / 3 and (0.5 + 1) / 2, in percent; two of
  // three columns are empty.
  expect(text).toMatch(/\| GRPO \|.* 62\.5 \| 62\.5 \(1 of 3\) \|/);
  expect(text).toMatch(/\| \*GRPO\* \|.*62\.4.*57\.7.*83\.9/);
  expect(remarks?.filter((one) => one.startsWith("Differs: "))).toHaveLength(recipe.differs.length);
});

test("a sweep that is not there is refused by its name", async () => {
  const item = findPaperItem("figure4");
  const recipe = findRecipe(item, "embedded");
  await expect(
    printResult(studio, { id: item.id, recipe }, { sweeps: ["rooms", "shop"], format: "csv" }),
  ).rejects.toThrow('there is no sweep "shop"');
});
