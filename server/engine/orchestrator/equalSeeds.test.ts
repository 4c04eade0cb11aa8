// @module-tag soak
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readBuiltTable } from "#server/api/publish/builtTables.ts";
import { readHeadline } from "#server/api/runs/headline.ts";
import { readTrainers } from "#server/config/yamlFile.ts";
import { readUndetected } from "#server/db/analysis/detections.ts";
import { createSweep } from "#server/db/plan/sweeps.ts";
import { countUnsummarised, summariseRuns } from "#server/db/runs/runSummaries.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { makeTranslate } from "#packages/trainers";
import { HeadlessStudio } from "./testing/headlessStudio.ts";
import { answers } from "#server/api/publish/answers.ts";

/** Program that ignores its seed, as a user's own program may. */
const same = `for (let step = 0; step < 30; step++)
  console.log(JSON.stringify({ step, success_rate: 0.2 + step / 100, loss: 1 / (step + 1) }));`;
const plan = parsePlan(`
name: live same
methods: [grpo]
environments: [{ id: sokoban, size: 6, numBoxes: 1 }]
base: { trainer: { name: same, options: {} }, budget: { iterations: 30 } }
seeds: [0, 1, 2]
`);

let studio: HeadlessStudio;
beforeAll(async () => {
  studio = await HeadlessStudio.make({ ARLARENA_SLOTS: "3" }, () => ({ iterations: 1, everyMs: 1 }));
  await writeFile(join(studio.home, "same.cjs"), same);
  const command = [process.execPath, join(studio.home, "same.cjs"), "--seed={seed}"];
  const trainers = { same: { kind: "command", command, metrics: { kind: "jsonLines" } } };
  await writeFile(join(studio.home, "trainers.yaml"), JSON.stringify({ trainers }));
});
afterAll(() => studio.close());

it("counts the seeds of a program that ignores its seed once, on every page", async () => {
  const { database, home } = studio;
  const translate = makeTranslate(() => readTrainers(home));
  const id = await createSweep(database, { plan, expansion: expandPlan(plan, translate) });
  studio.startOrchestrator();
  await studio.untilFinished(3, 200_000);
  while ((await readUndetected(database.pool, 3)).length > 0) await sleep(50);
  while ((await countUnsummarised(database.pool)) > 0) await summariseRuns(database.pool, 3);

  const said = "GRPO: seeds 0, 1 and 2 are equal at every step and count as one; the program may ignore its seed.";
  const headline = await readHeadline(database, id);
  expect(headline.sentence).toMatch(/^The .* of GRPO is 48\.0 % \(1 seed\)\./);
  expect(headline.sentence).toContain(said);
  const { table } = await readBuiltTable(database, { sweepIds: [id], options: { metrics: [headline.metric] } });
  const shown = table.rows[0]?.cells.find((cell) => cell.kind === "estimate");
  expect(shown).toMatchObject({ n: 1, shown: { kind: "none" } });
  expect(table.notes).toContain(said);
  const survival = await answers.survival(database, { sweepIds: [id], by: "method" });
  expect(survival.groups).toMatchObject([{ numRuns: 1 }]);
  expect(survival.table.notes).toContain(said);
  const claims = await answers.claims(database, { sweepIds: [id], metric: headline.metric });
  expect([claims.numRuns, claims.leftOut]).toEqual([1, expect.objectContaining({ numEqual: 2, equal: [said] })]);
});
