import { afterAll, beforeAll, expect, it } from "vitest";
import { keepTableProofs } from "#server/db/publish/proofs.ts";
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
