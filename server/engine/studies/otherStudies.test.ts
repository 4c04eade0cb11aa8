// @module-tag soak
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import type { TableCell } from "#packages/tables";
import { readAnswering } from "#server/api/analysis/answering.ts";
import { readImportance } from "#server/api/analysis/runStudy.ts";
import { answers, readTable } from "#server/api/publish/answers.ts";
import { readTables } from "#server/api/publish/tables.ts";
import { readHeadline } from "#server/api/runs/headline.ts";
import { createFromYaml } from "#server/cli/client/runSweep.ts";
import { readPrecedents } from "#server/db/analysis/rescue.ts";
import { readUses } from "#server/db/fleet/costs.ts";
import { findDependentSweeps } from "#server/db/runs/dependentRuns.ts";
import { readRuns } from "#server/db/runs/runs.ts";
import { summariseRuns } from "#server/db/runs/runSummaries.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { citePrecedents } from "#server/domain/analysis/rescue/precedents.ts";
import { replayWaiting } from "#server/engine/ingest/replayRun.ts";
import { importStudy } from "./importStudy.ts";

const folder = fileURLToPath(new URL("../../../studies/", import.meta.url));
const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".arlarena")).toSorted();
const home = await mkdtemp(join(tmpdir(), "arlarena-others-"));
afterAll(() => rm(home, { recursive: true, force: true }));

it("importing all other studies changes nothing that Table 3 on Sokoban says", { timeout: 1_800_000 }, async () => {
  const own = await makeTestDatabase();
  const importOwn = async (name: string) => {
    const { sweeps } = await importStudy(own, home, join(folder, name));
    while (await replayWaiting(own.pool, 100));
    while (await summariseRuns(own.pool, 100));
    return sweeps.map(({ id }) => id);
  };
  const metric = "evaluation/successRate";
  const sweepIds = await importOwn("table3-sokoban.arlarena");
  const [sweepId = ""] = sweepIds;
  const runs = await readRuns(own, { sweepIds });
  const citeAll = (ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => citePrecedents(await readPrecedents(own.pool, id))));
  const cispo = (await own.prisma.cell.findMany({ where: { method: "CISPO" } })).map(({ id }) => id);
  const others = runs.filter(({ cellId }) => !cispo.includes(cellId)).map(({ id }) => id);
  const readAll = async () => ({
    claims: await answers.claims(own, { sweepIds, metric }),
    effects: (await answers.dimensions(own, { sweepIds, metric })).effects,
    importance: await readImportance(own, { scope: { sweepIds }, columns: [], outcome: "", form: "method" }),
    headline: await readHeadline(own, sweepId),
    tables: await readTables(own, { sweepIds, metric }),
    survival: (await answers.survival(own, { sweepIds, by: "method" })).table.rows,
    uses: await readUses(own.pool, new Date(0)),
    precedents: await citeAll(others),
  });
  const before = await readAll();
  const numTested = before.claims.findings.filter(({ parts }) =>
    parts.some(({ numContexts }) => numContexts > 0),
  ).length;
  expect(numTested).toBeGreaterThan(0);
  const imported = new Map<string, string[]>();
  for (const name of files.filter((one) => !one.startsWith("table3-sokoban"))) {
    imported.set(name, await importOwn(name));
    expect({ name, ...(await readAll()) }).toEqual({ name, ...before });
  }
  expect(new Set(before.precedents)).toEqual(new Set([""]));

  const { dependent, kinds } = await listDependent(own, [...imported.values()].flat());
  expect(kinds).toEqual({ rescue: 36, remedies: 18, laboratory: 1, transfer: 0 });
  const rescues = [...sweepIds, ...dependent.filter(isRescue).slice(0, 19)];
  const together = await answers.claims(own, { sweepIds: rescues, metric });
  expect(together.findings).toEqual(before.claims.findings);
  expect(together.leftOut?.numBranches).toBeGreaterThan(700);
  // With every branch as a seed, the branches of a few collapsed runs decide claims.
  const decided = ({ findings }: typeof together) => findings.filter(({ outcome }) => outcome === "supported").length;
  const every = await readTable(own, { kind: "claims", sweepIds: rescues, metric });
  const supported = new Set(
    every.rows.flatMap(({ cells: [, verdict], block }) => (isSupported(verdict) ? [block] : [])),
  );
  expect(supported.size).toBeGreaterThan(decided(together));
  const added = await answers.claims(own, { sweepIds: rescues, metric, dependent: "added" });
  expect(added.leftOut?.included?.numRepeated).toBeGreaterThan(500);
  const offered = (await readAnswering(own, { sweepIds, metric })).flatMap((one) => one.sweepIds);
  expect(offered.filter((id) => dependent.includes(id))).toEqual([]);

  await compareWithDocument(own);

  // The origins' siblings are similar. A run without lag and low precision on a harder task is not.
  const origin = await own.pool.query<{ id: string }>(
    `SELECT r.id FROM run r WHERE r.id LIKE 'laboratory-main%-s7' AND r.cell_id IN (SELECT o.cell_id FROM run o
       JOIN cell b ON b.spec->'initialisation'->>'run' = o.id)`,
  );
  const [sibling = ""] = origin.rows.map(({ id }) => id);
  expect((await citeAll([sibling]))[0]).not.toBe("");
  const harder = "name: Harder\nmethods: [grpo]\nenvironments: [{ id: sokoban, size: 8, numBoxes: 2 }]\nseeds: [0]\n";
  const { id } = await createFromYaml({ database: own, home }, harder);
  expect(await citeAll([`${id}-c0-s0`])).toEqual([""]);
  await own.close();
});

async function listDependent(own: TestDatabase, ids: readonly string[]) {
  const dependent = [...(await findDependentSweeps(own.pool, ids))];
  const count = (kind: string) => dependent.filter((id) => id.startsWith(kind)).length;
  const rescue = dependent.filter(isRescue).length;
  const remedies = count("rescue") - rescue;
  return { dependent, kinds: { rescue, remedies, laboratory: count("laboratory"), transfer: count("transfer") } };
}

/** True for the sweeps of studies/rescue. Those of studies/remedies are named after their origins, too. */
function isRescue(id: string): boolean {
  return id.startsWith("rescue") && !id.startsWith("rescue-of-remedies");
}

const isSupported = (cell: TableCell | undefined): boolean => cell?.kind === "text" && cell.key === "supported";

/** Compares the numbers that docs/rescue.md states about its only synchronous run with those of the study. */
async function compareWithDocument(own: TestDatabase): Promise<void> {
  const sweeps = await own.prisma.sweep.findMany({ where: { name: { startsWith: "Rescue of table-3" } } });
  const { table } = await answers.rescue(own, { sweepIds: sweeps.map(({ id }) => id), by: "method" });
  const document = await readFile(fileURLToPath(new URL("../../../docs/rescue.md", import.meta.url)), "utf8");
  const stated = document.split("\n").find((line) => line.startsWith("- **Synchronous runs")) ?? "";
  const percent = (x: number) =>
    String(Math.round(Math.abs(100 * x))).replace(/^/, x < 0 && Math.round(100 * x) !== 0 ? "−" : "");
  const effects = table.rows.flatMap(({ cells }) => cells.filter((cell) => cell.kind === "estimate"));
  expect(effects).toHaveLength(7);
  for (const { mean: effect, interval } of effects) {
    const [low, high] = [percent(interval?.low ?? NaN), percent(interval?.high ?? NaN)];
    expect(stated).toContain(`${percent(Math.abs(effect))} ${effect > 0.13 ? "points " : ""}[${low}, ${high}]`);
  }
}
