import { afterAll, beforeAll, expect, it } from "vitest";
import { writeCollapses } from "#packages/detector";
import { listSweeps } from "#server/db/plan/sweeps.ts";
import { summariseRuns } from "#server/db/runs/runSummaries.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { replayWaiting } from "#server/engine/ingest/replayRun.ts";
import { readBuiltTable } from "../publish/builtTables.ts";
import { verifyTable } from "./proofs.ts";
import { readRunStability } from "./replay.ts";
import { answers, readTable } from "../publish/answers.ts";
import { readHeadline } from "../runs/headline.ts";
import { listAnalyses } from "../testing/listAnalyses.ts";
import { insertProvenStudy } from "../testing/provenStudy.ts";

let database: TestDatabase;

/** Cells of the sweep whose seeds 1 and 2 are equal to seed 0, as if their program ignored its seed. */
const equalCells = [0, 3];
const repeats = equalCells.flatMap((cell) => [`main-${cell}-1`, `main-${cell}-2`]);

async function copySeed(cell: number, seed: number): Promise<void> {
  const [from, to] = [`main-${cell}-0`, `main-${cell}-${seed}`];
  const { status, reason } = await database.prisma.run.findUniqueOrThrow({ where: { id: from } });
  await database.prisma.run.update({ where: { id: to }, data: { status, reason } });
  await database.pool.query("DELETE FROM metric_row WHERE attempt_id IN (SELECT id FROM attempt WHERE run_id = $1)", [
    to,
  ]);
  await database.pool.query(
    `INSERT INTO metric_row (attempt_id, seq, iteration, optimizer_step, at_ms, metric_ids, values)
     SELECT mine.id, m.seq, m.iteration, m.optimizer_step, m.at_ms, m.metric_ids, m.values
     FROM attempt mine, attempt theirs JOIN metric_row m ON m.attempt_id = theirs.id
     WHERE mine.run_id = $1 AND theirs.run_id = $2`,
    [to, from],
  );
  await database.pool.query(
    `UPDATE attempt SET num_metric_lines = (SELECT num_metric_lines FROM attempt WHERE run_id = $2) WHERE run_id = $1`,
    [to, from],
  );
}

/** Removes the repeats from every analysis, as a person does who cancels added seeds. */
async function count(areCounted: boolean): Promise<void> {
  await database.pool.query(
    areCounted
      ? `UPDATE run SET added_at = NULL, status = first.status, reason = first.reason FROM run AS first
         WHERE run.id = ANY($1) AND first.id = regexp_replace(run.id, '[0-9]+$', '0')`
      : "UPDATE run SET added_at = now(), status = 'cancelled', reason = 'cancelled_by_user' WHERE id = ANY($1)",
    [repeats],
  );
}

beforeAll(async () => {
  database = await makeTestDatabase();
  await insertProvenStudy(database);
  for (const cell of equalCells) for (const seed of [1, 2]) await copySeed(cell, seed);
  while (await replayWaiting(database.pool, 100));
  while (await summariseRuns(database.pool, 100));
});
afterAll(() => database.close());

it("every analysis counts seeds that are equal at every step once", async () => {
  for (const [name, read] of Object.entries(listAnalyses(database))) {
    await count(false);
    const once = await read(["main"]);
    await count(true);
    expect(await read(["main"]), name).toEqual(once);
  }
});

it("lists each run among the states, says which repeat another, and counts these once in the overview", async () => {
  const listed = await readRunStability(database, { sweepIds: ["main"] });
  expect(listed.runs).toHaveLength(24);
  expect(listed.runs.flatMap(({ runId, isRepeat }) => (isRepeat ? [runId] : []))).toEqual(repeats);
  expect(listed.equal).toHaveLength(equalCells.length);
  const { sentence, table } = await answers.overview(database, { sweepIds: ["main"] });
  expect(sentence).toMatch(/^In hindsight 4 of 18 judged runs collapsed\. Not judged: 2 runs/);
  expect(table.notes.join(" ")).toContain("seeds 0, 1 and 2 are equal at every step and count as one");
});

it("counts them once in the collapses of the headline and of the list of sweeps, too", async () => {
  const { sentence } = await readHeadline(database, "main");
  // Four of the 24 runs repeat another.
  expect(sentence).toContain("4 of 18 judged runs collapsed; 2 runs not judged");
  const listed = (await listSweeps(database)).find(({ id }) => id === "main");
  expect(listed && writeCollapses(listed)).toBe("4 of 18");
});

it("says so in the table's note, and proves the table as it is", async () => {
  const { table } = await readBuiltTable(database, { sweepIds: ["main"], options: {} });
  expect(table.notes.at(-1)).toContain(
    "seeds 0, 1 and 2 are equal at every step and count as one; the program may ignore its seed.",
  );
  const hash = table.provenance.proof ?? "none";
  const verdict = await verifyTable(database, hash, (query, code) => readTable(database, query, code));
  expect([verdict.isSame, verdict.query.equal]).toEqual([true, "once"]);
});

it("verifies tables from before this rule, which count every seed", async () => {
  const query = { kind: "built", sweepIds: ["main"], options: { interval: "t" } } as const;
  const former = await readTable(database, query);
  expect(former.notes.join(" ")).not.toContain("equal at every step");
  expect(former.rows.flatMap(({ runIds }) => runIds)).toEqual(expect.arrayContaining(repeats));
  const verdict = await verifyTable(database, former.provenance.proof ?? "none", (asked, code) =>
    readTable(database, asked, code),
  );
  expect([verdict.isSame, verdict.query]).toEqual([true, query]);
});
