// @module-tag soak
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { formatOf } from "#packages/tables";
import { answer } from "#server/api/publish/answers.ts";
import { summariseRuns } from "#server/db/runs/runSummaries.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { replayWaiting } from "#server/engine/ingest/replayRun.ts";
import { importStudy } from "./importStudy.ts";

const database = await makeTestDatabase();
const home = await mkdtemp(join(tmpdir(), "arlarena-remedies-"));
afterAll(async () => {
  await database.close();
  await rm(home, { recursive: true, force: true });
});

it("docs/remedies.md quotes the table of the recorded causes", async () => {
  const folder = join("studies", "remedies");
  const sweepIds: string[] = [];
  for (const name of (await readdir(folder)).toSorted()) {
    const { sweeps } = await importStudy(database, home, join(folder, name));
    sweepIds.push(...sweeps.map(({ id }) => id));
  }
  while (await replayWaiting(database.pool, 100));
  while (await summariseRuns(database.pool, 100));
  const { sentence = "", table } = await answer(database, "rescue", { sweepIds, by: "cause" });
  const normalise = (text: string) => text.replaceAll(/[\\*_]/g, "").replaceAll(/ +/g, " ");
  const document = normalise(await readFile(join("docs", "remedies.md"), "utf8"));
  const rows = formatOf.markdown
    .print(table)
    .split("\n")
    .filter((line) => line.startsWith("|") && !/^\|[ :|-]+$/.test(line));
  const numHeadings = new Set(table.rows.flatMap(({ heading }) => heading ?? [])).size;
  expect(rows.length).toBe(1 + numHeadings + table.rows.length);
  for (const row of rows) expect(document).toContain(normalise(row));
  expect(document).toContain(normalise(sentence));
});
