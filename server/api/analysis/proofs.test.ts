import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { proofText } from "#server/domain/publish/tables/proof.ts";
import { keepTableProofs } from "#server/db/publish/proofs.ts";
import { makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { insertAttempt, insertSweep } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { verifyTable } from "./proofs.ts";
import { readTable } from "../publish/answers.ts";
import { insertProvenStudy } from "../testing/provenStudy.ts";
import proven from "../testing/provenTables.json" with { type: "json" };

let database: TestDatabase;

beforeAll(async () => {
  database = await makeTestDatabase();
  await insertProvenStudy(database);
});
afterAll(() => database.close());

// These hashes were stored with code version tables-3, when each table had its own code, and must remain verifiable.
it.each(proven)("verifies $kind of $sweepIds, $metric, as it was proved", async ({ hash, ...query }) => {
  await keepTableProofs(database, [{ hash, query, code: "tables-3" }]);
  const verdict = await verifyTable(database, hash, (asked, code) => readTable(database, asked, code));
  expect(verdict).toMatchObject({ isSame: true, query, code: { before: "tables-3" } });
});

it("says DIFFERENT where a number has changed since", async () => {
  const [first] = proven;
  // The eighth value of an iteration that has an evaluation is the success rate.
  await database.pool.query(
    "UPDATE metric_row SET values[8] = 0.5 WHERE iteration % 4 = 0 AND attempt_id IN (SELECT id FROM attempt WHERE run_id = 'main-0-0')",
  );
  expect(
    await verifyTable(database, first?.hash ?? "", (query, code) => readTable(database, query, code)),
  ).toMatchObject({
    isSame: false,
  });
});

it.each([
  { kind: "built", sweepIds: ["main"], options: { interval: "t" } },
  { kind: "compare", sweepIds: ["main"], metric: "evaluation/successRate", baseline: "" },
] as const)("states in the table $kind which runs did not finish, as a part of its proof", async (query) => {
  const table = await readTable(database, query);
  const [{ failed } = { failed: 0 }] = (
    await database.pool.query<{ failed: number }>(
      "SELECT count(*)::int AS failed FROM run WHERE sweep_id = 'main' AND status IN ('failed', 'cancelled')",
    )
  ).rows;
  expect(failed).toBeGreaterThan(0);
  expect(table.notes.join(" ")).toContain(`Of 24 runs, ${failed} did not finish: `);
  expect(table.notes.join(" ")).toContain("out of memory 3");
  const hash = table.provenance.proof ?? "none";
  const verify = () => verifyTable(database, hash, (asked, code) => readTable(database, asked, code));
  expect((await verify()).isSame).toBe(true);
  await database.pool.query("UPDATE run SET reason = 'killed' WHERE sweep_id = 'main' AND reason = 'out_of_memory'");
  expect((await verify()).isSame).toBe(false);
  await database.pool.query("UPDATE run SET reason = 'out_of_memory' WHERE sweep_id = 'main' AND reason = 'killed'");
});

it("states dropped groups and unread log lines as a part of the proof, and leaves earlier proofs as they were", async () => {
  const query = { kind: "compare", sweepIds: ["main"], metric: "evaluation/successRate", baseline: "" } as const;
  const verify = (hash: string) => verifyTable(database, hash, (asked, code) => readTable(database, asked, code));
  const [before, former] = [await readTable(database, query), await readTable(database, query, "tables-6")];
  const { provenance: _, ...bare } = former;
  const text = proofText(query, { ...bare, provenance: before.provenance }, "tables-6");
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 32);
  await keepTableProofs(database, [{ hash, query, code: "tables-6" }]);
  expect((await verify(hash)).isSame).toBe(true);

  const attempts = `SELECT id FROM attempt WHERE run_id IN ('main-0-0', 'main-1-0')`;
  await database.pool.query("INSERT INTO metric_name (key) VALUES ('group/filteredFraction') ON CONFLICT DO NOTHING");
  await database.pool.query(
    `UPDATE metric_row SET metric_ids = metric_ids || (SELECT id FROM metric_name WHERE key = 'group/filteredFraction'),
       values = values || (CASE WHEN iteration = 5 THEN 0.25 ELSE 0 END)::float8 WHERE attempt_id IN (${attempts})`,
  );
  await database.pool.query(
    `INSERT INTO rejected_line (attempt_id, "offset", text, problem) SELECT id, 7, '{', 'not JSON' FROM (${attempts}) AS a`,
  );
  await database.pool.query(
    `INSERT INTO rejected_line (attempt_id, "offset", text, problem)
     SELECT id, 9, '{}', 'line 4 again, after line 9' FROM attempt WHERE run_id = 'main-2-0'`,
  );
  await database.pool.query("INSERT INTO metric_name (key) VALUES ('response/aborted_ratio') ON CONFLICT DO NOTHING");
  await database.pool.query(
    `UPDATE metric_row SET metric_ids = metric_ids || (SELECT id FROM metric_name WHERE key = 'response/aborted_ratio'),
       values = values || 0.1::float8 WHERE attempt_id IN (SELECT id FROM attempt WHERE run_id = 'main-2-0')`,
  );
  const after = await readTable(database, query);
  expect(after.notes.join(" ")).toContain(
    "2 runs did not train on all generated groups. 1 run logged dropped or empty responses (response/aborted_ratio). 2 runs have log lines that were not understood.",
  );
  expect((await readTable(database, query, "tables-8")).notes.join(" ")).not.toContain("aborted_ratio");
  expect((await verify(before.provenance.proof ?? "none")).isSame).toBe(false);
  expect((await verify(after.provenance.proof ?? "none")).isSame).toBe(true);
  expect((await verify(hash)).isSame).toBe(true);
});

it("counts the evaluation of a run that only cloned, which earlier proofs left out", async () => {
  const key = "evaluation/successRate";
  await insertSweep(database, "split", ["cloned", "unfinished"]);
  const metricId = (await makeMetricIds(database.pool)([key])).get(key) ?? -1;
  for (const runId of ["cloned", "unfinished"]) {
    const attemptId = await insertAttempt(database, runId, 1);
    const data = { attemptId, seq: 0, iteration: 0, optimizerStep: 0, atMs: 0, metricIds: [metricId], values: [0.75] };
    await database.prisma.metricRow.create({ data });
    await database.prisma.attempt.update({ where: { id: attemptId }, data: { numMetricLines: 1, lastSeq: 0 } });
  }
  await database.pool.query(
    `UPDATE cell SET spec = jsonb_set(spec, '{budget,split}', '{"units": 64, "demonstrationShare": 1, "demonstrationCost": 1}')
     WHERE id = (SELECT cell_id FROM run WHERE id = 'cloned')`,
  );
  const query = { kind: "compare", sweepIds: ["split"], metric: key, baseline: "" } as const;
  const meansOf = async (code?: string) =>
    (await readTable(database, query, code)).rows.map(({ cells }) =>
      cells.flatMap((cell) => ("mean" in cell ? [cell.mean] : [])),
    );
  expect(await meansOf()).toEqual([[0.75], []]);
  expect(await meansOf("tables-9")).toEqual([[], []]);

  // A received run has no limit, which is stored as 0: its evaluation before training is no result.
  await database.pool.query(
    `UPDATE cell SET spec = jsonb_set(spec, '{budget}', '{"iterations": 0}')
     WHERE id = (SELECT cell_id FROM run WHERE id = 'unfinished')`,
  );
  expect(await meansOf()).toEqual([[0.75], []]);
});
