import { mkdtemp, rm } from "node:fs/promises";
import { maxSweepsTogether } from "#server/domain/plan/sweep/maxSweeps.ts";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { verifyTable } from "#server/api/analysis/proofs.ts";
import { readTable } from "#server/api/publish/answers.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { type ShippedId, shippedStudies, type StudyProgress } from "#server/domain/publish/shippedStudies.ts";
import { openShipped, readShipped } from "./shippedStudies.ts";

const database = await makeTestDatabase();
const home = await mkdtemp(join(tmpdir(), "arlarena-shipped-"));
afterAll(async () => {
  await database.close();
  await rm(home, { recursive: true, force: true });
});

it.each(Object.keys(shippedStudies) as ShippedId[])("%s ships with the studio, and one page shows it", async (id) => {
  const { sweepIds, numRuns, methods } = await readShipped(id);
  expect(sweepIds.length).toBeLessThanOrEqual(maxSweepsTogether);
  expect(numRuns).toBeGreaterThan(0);
  expect(methods.length).toBeGreaterThan(0);
});

it("tells the progress of an import, and imports nothing twice", async () => {
  const open = async () => {
    const told: StudyProgress[] = [];
    const verify = (hash: string) => verifyTable(database, hash, (query, code) => readTable(database, query, code));
    const opened = await openShipped(database, "transfer", { home, verify, onProgress: (now) => told.push(now) });
    return { opened, told };
  };
  const { numRuns, sweepIds } = await readShipped("transfer");
  const first = await open();
  expect(first.opened).toMatchObject({ sweepIds, numProofs: 1, numDifferent: 0, notes: [] });
  expect(await database.prisma.run.count()).toBe(numRuns);
  const steps = Array.from({ length: numRuns + 1 }, (_, i) => i);
  expect([...new Set(first.told.map((told) => told.numRuns))]).toEqual(steps);
  expect(first.told.at(-1)).toEqual({ numRuns, numAllRuns: numRuns, numProofs: 1 });
  const again = await open();
  expect(again.opened).toEqual({ sweepIds, numProofs: 0, numDifferent: 0, notes: [] });
  expect(await database.prisma.run.count()).toBe(numRuns);
});
