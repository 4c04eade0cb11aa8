import { afterAll, beforeAll, expect, it } from "vitest";
import { tellLeftOut } from "#server/domain/plan/sweep/dependence.ts";
import { readRun } from "#server/db/runs/runs.ts";
import { summariseRuns } from "#server/db/runs/runSummaries.ts";
import { findDependentSweeps } from "#server/db/runs/dependentRuns.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { replayWaiting } from "#server/engine/ingest/replayRun.ts";
import { inBoth, isSoak } from "#server/testing/soak.ts";
import { readBuiltTable } from "../publish/builtTables.ts";
import { verifyTable } from "./proofs.ts";
import { answers, readTable } from "../publish/answers.ts";
import { readHeadline } from "../runs/headline.ts";
import { listAnalyses, metric } from "../testing/listAnalyses.ts";
import { insertProvenStudy } from "../testing/provenStudy.ts";
import { readAnswering } from "./answering.ts";
import { readRunStability } from "./replay.ts";
import { readRunStudy } from "./runStudy.ts";

let database: TestDatabase;

/** Turns a stored sweep into branches, starts or trials. */
async function makeDependent(sweepId: string, kind: "branch" | "run" | "trial"): Promise<void> {
  if (kind === "trial") {
    await database.pool.query(`UPDATE sweep SET plan = '{"search": {}}' WHERE id = $1`, [sweepId]);
    return;
  }
  const initialisation = JSON.stringify({ kind, run: "main-0-0", iteration: 3 });
  await database.pool.query("UPDATE cell SET spec = jsonb_set(spec, '{initialisation}', $2) WHERE sweep_id = $1", [
    sweepId,
    initialisation,
  ]);
}

beforeAll(async () => {
  database = await makeTestDatabase();
  await insertProvenStudy(database);
  while (await replayWaiting(database.pool, 100));
  while (await summariseRuns(database.pool, 100));
});
afterAll(() => database.close());

it.each(isSoak ? (["run", "trial"] as const) : (["branch"] as const))(
  "a %s counts in no analysis of methods beside other runs",
  { tags: inBoth },
  async (kind) => {
    const before = new Map<string, unknown>();
    for (const [name, read] of Object.entries(listAnalyses(database))) before.set(name, await read(["main"]));
    const whole = await readBuiltTable(database, { sweepIds: ["main", "other"], options: {} });
    await makeDependent("other", kind);
    try {
      for (const [name, read] of Object.entries(listAnalyses(database))) {
        expect(await read(["main", "other"]), name).toEqual(before.get(name));
      }
      const { leftOut } = await answers.claims(database, { sweepIds: ["main", "other"], metric });
      const numbers = { branch: [32, 1, 0, 0], run: [0, 0, 32, 0], trial: [0, 0, 0, 32] }[kind];
      expect(leftOut?.included).toBeNull();
      expect(leftOut && [leftOut.numBranches, leftOut.numOrigins, leftOut.numStarts, leftOut.numTrials]).toEqual(
        numbers,
      );
      // A proof from before counts every run, and is verified so.
      const hash = whole.table.provenance.proof ?? "none";
      const { isSame } = await verifyTable(database, hash, (query, code) => readTable(database, query, code));
      expect(isSame).toBe(true);
    } finally {
      await database.pool.query(
        "UPDATE cell SET spec = jsonb_set(spec, '{initialisation}', (SELECT spec->'initialisation' FROM cell WHERE sweep_id = 'main' LIMIT 1)) WHERE sweep_id = 'other'",
      );
      await database.pool.query("UPDATE sweep SET plan = '{}' WHERE id = 'other'");
    }
  },
);

it("counts starts that the user adds, or that are all that is chosen, and names them", async () => {
  const whole = await answers.dimensions(database, { sweepIds: ["main", "other"], metric });
  const alone = await answers.dimensions(database, { sweepIds: ["other"], metric });
  const table = await readBuiltTable(database, { sweepIds: ["main", "other"], options: {} });
  await makeDependent("other", "run");
  const added = { sweepIds: ["main", "other"], dependent: "added" as const };
  const counted = await answers.dimensions(database, { ...added, metric });
  expect(counted.numRuns + counted.numRepeated).toBe(whole.numRuns + whole.numRepeated);
  expect((await answers.dimensions(database, { sweepIds: ["other"], metric })).effects).toEqual(alone.effects);
  const built = await readBuiltTable(database, { ...added, options: {} });
  expect(built.table.rows).toEqual(table.table.rows);
  expect(built.table.notes.at(-1)).toBe("Including 32 starts.");
});

it("never counts repeated measurements of one run as seeds", async () => {
  await makeDependent("other", "branch");
  const added = { sweepIds: ["main", "other"], dependent: "added" as const };
  const { leftOut, table } = await answers.dimensions(database, { ...added, metric });
  // Each of the eight cells has four continuations of the origin main-0-0. One cell has the origin's own settings.
  expect(leftOut?.included).toMatchObject({ numBranches: 32, numOrigins: 1, numRepeated: 25 });
  expect(table.notes.at(-1)).toBe(
    "Including 32 branches of one run; branches of one run with equal settings are no seeds and count once (25 left out).",
  );
  const verdict = await verifyTable(database, table.provenance.proof ?? "none", (query, code) =>
    readTable(database, query, code),
  );
  expect([verdict.isSame, verdict.query.dependent]).toEqual([true, "once"]);
  const { findings } = await answers.claims(database, { sweepIds: ["other"], metric });
  for (const { parts } of findings) {
    for (const { sides } of parts) {
      for (const { runIds } of sides) expect(runIds.every((id) => id.endsWith("-1"))).toBe(true);
    }
  }
  const chosen = await readRunStudy(database, { scope: { runIds: ["main-0-0", "other-0-0"] }, columns: [] });
  expect(chosen.runs).toHaveLength(2);
});

it("lists the state of every branch, and says of none that it is included where all count", async () => {
  await makeDependent("other", "branch");
  expect((await readRunStability(database, { sweepIds: ["other"] })).runs).toHaveLength(32);
  const { leftOut, table } = await answers.overview(database, { sweepIds: ["main", "other"] });
  expect([leftOut, table.notes]).toEqual([null, [expect.stringMatching(/^Of 56 runs, 21 did not finish: /)]]);
});

it("names a run's choice on its page, in the table of runs and in filters", async () => {
  await makeDependent("other", "branch");
  await database.pool.query("UPDATE run SET added_at = now() WHERE id = 'main-0-1'");
  try {
    const choices = await Promise.all(["main-0-0", "main-0-1", "other-0-0"].map((id) => readRun(database, id)));
    expect(choices.map(({ choice }) => choice)).toEqual(["plan", "added seed", "branch"]);
    const { runs } = await readRunStudy(database, { scope: { filter: 'choice="added seed"' }, columns: ["choice"] });
    expect(runs.map(({ id }) => id)).toEqual(["main-0-1"]);
    const { leftOut } = await answers.dimensions(database, { sweepIds: ["main"], metric });
    expect(leftOut && tellLeftOut(leftOut)).toBe("Including 1 seed added after the launch.");
  } finally {
    await database.pool.query("UPDATE run SET added_at = NULL WHERE id = 'main-0-1'");
  }
});

it("says in the note of a table which runs it leaves out, and proves it so", async () => {
  const { table } = await readBuiltTable(database, { sweepIds: ["main", "other"], options: {} });
  expect(table.notes.at(-1)).toBe("Left out, because they depend on earlier results: 32 branches of one run.");
  const hash = table.provenance.proof ?? "none";
  const verdict = await verifyTable(database, hash, (query, code) => readTable(database, query, code));
  expect([verdict.isSame, verdict.query.dependent]).toEqual([true, "leftOut"]);
});

it("never offers sweeps of dependent runs to decide a claim, nor others to decide the claims of branches", async () => {
  expect([...(await findDependentSweeps(database.pool, ["main", "other", "import"]))]).toEqual(["other"]);
  const offered = await readAnswering(database, { sweepIds: ["main"], metric });
  expect(offered.flatMap(({ sweepIds }) => sweepIds)).not.toContain("other");
  expect(await readAnswering(database, { sweepIds: ["other"], metric })).toEqual([]);
});

it("a sweep with branches beside other runs leads with the others, and keeps all cells' figures", async () => {
  const { sentence: before, cells } = await readHeadline(database, "main");
  const [{ id } = { id: -1 }] = await database.prisma.cell.findMany({ where: { sweepId: "main", index: 0 } });
  const initialisation = JSON.stringify({ kind: "run", run: "other-0-0", iteration: 3 });
  await database.pool.query("UPDATE cell SET spec = jsonb_set(spec, '{initialisation}', $2) WHERE id = $1", [
    id,
    initialisation,
  ]);
  const headline = await readHeadline(database, "main");
  expect(headline.sentence).not.toBe(before);
  expect(headline.sentence).toMatch(/Left out, because they depend on earlier results: 4 starts\.$/);
  const idsOf = (listed: typeof cells) => new Set(listed.map(({ cellId }) => cellId));
  expect(idsOf(headline.cells)).toEqual(idsOf(cells));
});
