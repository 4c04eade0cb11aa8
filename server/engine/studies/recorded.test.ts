import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { verifyTable } from "#server/api/analysis/proofs.ts";
import { readHeadline } from "#server/api/runs/headline.ts";
import { answers, readTable } from "#server/api/publish/answers.ts";
import { readTables } from "#server/api/publish/tables.ts";
import { summariseRuns } from "#server/db/runs/runSummaries.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { replayWaiting } from "#server/engine/ingest/replayRun.ts";
import { inBoth, isSoak } from "#server/testing/soak.ts";
import { importStudy } from "./importStudy.ts";
import { listStatements } from "./testing/rescueStatements.ts";

const folder = fileURLToPath(new URL("../../../studies/", import.meta.url));
const listIn = async (path: string): Promise<string[]> =>
  (await readdir(join(folder, path))).flatMap((name) => (name.endsWith(".arlarena") ? join(path, name) : []));
/** Studies imported in `npm test`, one of each kind; `npm run soak` imports the others. */
const short = ["table3-webshop.arlarena", "transfer/sokoban.arlarena", "behaviour/webshop.arlarena"];
const listHere = async (path: string) => (await listIn(path)).filter((name) => short.includes(name) !== isSoak);
const files = await listHere("");
const folders = ["laboratory", "transfer", "rescue", "remedies", "behaviour", "papers"];
const pieces = (await Promise.all(folders.map(listHere))).flat();
const database = await makeTestDatabase();
const home = await mkdtemp(join(tmpdir(), "arlarena-recorded-"));
afterAll(async () => {
  await database.close();
  await rm(home, { recursive: true, force: true });
});

/** Imports a file and checks that every proven table has the same numbers after the import. */
async function importProved(name: string) {
  const { sweeps, proofs, laterProofs, notes } = await importStudy(database, home, join(folder, name));
  expect(notes).toEqual([]);
  expect(proofs.length + laterProofs.length).toBeGreaterThan(0);
  // Labels are computed after the import, as the orchestrator does.
  while (await replayWaiting(database.pool, 100));
  while (await summariseRuns(database.pool, 100));
  for (const hash of [...proofs, ...laterProofs]) {
    const { isSame } = await verifyTable(database, hash, (query, code) => readTable(database, query, code));
    expect(isSame, hash).toBe(true);
  }
  return sweeps;
}

/** Sweeps of the studies of docs/rescue.md. */
const rescued: string[] = [];

it.each(pieces)(
  "%s comes in whole, and its proved tables have the same numbers",
  // The largest study takes a minute alone, and several times as long beside other tests.
  { tags: inBoth, timeout: 900_000 },
  async (name) => {
    const sweeps = await importProved(name);
    const [sweep] = sweeps;
    if (name.startsWith("rescue")) rescued.push(...sweeps.map(({ id }) => id));
    expect(sweep?.name).toMatch(
      /^(Laboratory · |Transfer, |Curriculum, |Behaviour, |Rescue of |Remedies · |Clipping, |Staleness |Table 4, )/,
    );
    // The name of a leader does not repeat its environment.
    const { leaders } = await readHeadline(database, sweep?.id ?? "");
    for (const leader of leaders)
      expect(leader).not.toMatch(/^(\w+: )?\S+ (Sokoban|ALFWorld|TextWorld|Mixture|Curriculum)\b/);
  },
);

it("docs/rescue.md states table, counts, costs and hypotheses of the recorded branches", { tags: "soak" }, async () => {
  const { answer: report } = await answers.rescue(database, { sweepIds: rescued, by: "method" });
  const document = (await readFile(join(folder, "../docs/rescue.md"), "utf8")).replaceAll(/\s+/g, " ");
  expect(listStatements(report).filter((statement) => !document.includes(statement))).toEqual([]);
});

it.each(files)(
  "%s comes in whole, and its proved tables have the same numbers",
  { tags: inBoth, timeout: 600_000 },
  async (name) => {
    const sweeps = await importProved(name);
    expect(sweeps[0]?.numRuns).toBe(30);
    const id = sweeps[0]?.id ?? "";
    const { sentence, cells, metric } = await readHeadline(database, id);
    const { final } = await readTables(database, { sweepIds: [id], metric });
    const means = final.rows.map(({ cells }) => cells.flatMap((cell) => ("mean" in cell ? [cell.mean] : []))[0]);
    // The headline of the page and its table agree.
    expect(cells.map(({ mean }) => mean)).toEqual(means.toSorted((a = NaN, b = NaN) => b - a));
    expect(sentence).toMatch(
      / (leads|is ahead) in success rate with \d\d\.\d \[\d+(\.\d)?, \d+(\.\d)?\] % \(3 seeds\), then /,
    );
  },
);
