import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import type { TableCell } from "#packages/tables";
import { readAnswering } from "#server/api/analysis/answering.ts";
import { verifyTable } from "#server/api/analysis/proofs.ts";
import { readImportance } from "#server/api/analysis/runStudy.ts";
import { readSearchReport } from "#server/api/plan/searches.ts";
import { answers, readTable } from "#server/api/publish/answers.ts";
import { readTables } from "#server/api/publish/tables.ts";
import { readHeadline } from "#server/api/runs/headline.ts";
import { createFromYaml } from "#server/cli/client/runSweep.ts";
import { readPrecedents } from "#server/db/analysis/rescue.ts";
import { readUses } from "#server/db/fleet/costs.ts";
import { findDependentSweeps } from "#server/db/runs/dependentRuns.ts";
import { readRuns } from "#server/db/runs/runs.ts";
import { summariseRuns } from "#server/db/runs/runSummaries.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { citePrecedents } from "#server/domain/analysis/rescue/precedents.ts";
import { replayWaiting } from "#server/engine/ingest/replayRun.ts";
import { inBoth, isSoak } from "#server/testing/soak.ts";
import { importStudy } from "./importStudy.ts";
import { listStatements } from "./testing/rescueStatements.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const folder = join(root, "studies");
const all = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".arlarena")).toSorted();
/** Studies imported in `npm test`, one of each kind. */
const short = ["table3-webshop.arlarena", "transfer/sokoban.arlarena", "behaviour/webshop.arlarena"];
/** Study about which the import of all others changes nothing; `npm run soak` imports it first. */
const first = "table3-sokoban.arlarena";
const names = isSoak ? [first, ...all.filter((name) => name !== first)] : short;
const database = await makeTestDatabase();
const home = await mkdtemp(join(tmpdir(), "arlarena-recorded-"));
afterAll(async () => {
  await database.close();
  await rm(home, { recursive: true, force: true });
});

/** Ids of the imported sweeps by the name of their study. */
const imported = new Map<string, string[]>();
const metric = "evaluation/successRate";
/** Answers about the first study, before any other was imported. */
let before: Awaited<ReturnType<typeof readFirst>> | undefined;

/** Imports a file and checks that its proven tables have the same numbers, and its searches decide as they did. */
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
  imported.set(
    name,
    sweeps.map(({ id }) => id),
  );
  for (const { id } of sweeps) {
    const search = await readSearchReport(database, id);
    expect(search?.configurations.flatMap(({ differences }) => differences) ?? []).toEqual([]);
  }
  return sweeps;
}

const citeAll = (ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => citePrecedents(await readPrecedents(database.pool, id))));

async function readFirst() {
  const sweepIds = imported.get(first) ?? [];
  const cispo = await database.prisma.cell.findMany({
    where: { method: "CISPO", sweepId: { in: sweepIds } },
    select: { id: true },
  });
  const others = (await readRuns(database, { sweepIds })).filter(({ cellId }) =>
    cispo.every(({ id }) => id !== cellId),
  );
  return {
    claims: await answers.claims(database, { sweepIds, metric }),
    effects: (await answers.dimensions(database, { sweepIds, metric })).effects,
    importance: await readImportance(database, { scope: { sweepIds }, columns: [], outcome: "", form: "method" }),
    headline: await readHeadline(database, sweepIds[0] ?? ""),
    tables: await readTables(database, { sweepIds, metric }),
    survival: (await answers.survival(database, { sweepIds, by: "method" })).table.rows,
    uses: await readUses(database.pool, new Date(0)),
    precedents: await citeAll(others.map(({ id }) => id)),
  };
}

const isLastOfFolder = (name: string) => names.findLast((other) => dirname(other) === dirname(name)) === name;

it.each(names)(
  "%s comes in whole, and its proved tables have the same numbers",
  // The largest study takes a minute alone, and several times as long beside other tests.
  { tags: inBoth, timeout: 900_000 },
  async (name) => {
    const sweeps = await importProved(name);
    if (name.startsWith("table3")) await checkTable3(sweeps[0]);
    else await checkPiece(sweeps[0]);
    if (name === first) before = await readFirst();
    else if (isSoak && isLastOfFolder(name)) expect({ name, ...(await readFirst()) }).toEqual({ name, ...before });
  },
);

type Imported = { id: string; name: string; numRuns: number };

async function checkPiece(sweep: Imported | undefined): Promise<void> {
  expect(sweep?.name).toMatch(
    /^(Laboratory · |Transfer, |Curriculum, |Behaviour, |Rescue of |Remedies · |Clipping, |Staleness |Table 4, |SFT : RL |Complexity on |Tuning of PPO |Algorithms on |Reward on |Reward density on |Horizon on |Model size on |Table 2, )/,
  );
  // The name of a leader does not repeat its environment.
  const { leaders } = await readHeadline(database, sweep?.id ?? "");
  for (const leader of leaders)
    expect(leader).not.toMatch(/^(\w+: )?\S+ (Sokoban|ALFWorld|TextWorld|Mixture|Curriculum)\b/);
}

async function checkTable3({ id, numRuns }: Imported = { id: "", name: "", numRuns: 0 }): Promise<void> {
  expect(numRuns).toBe(30);
  const { sentence, cells, metric: shown } = await readHeadline(database, id);
  const { final } = await readTables(database, { sweepIds: [id], metric: shown });
  const means = final.rows.map(({ cells }) => cells.flatMap((cell) => ("mean" in cell ? [cell.mean] : []))[0]);
  // The headline of the page and its table agree.
  expect(cells.map(({ mean }) => mean)).toEqual(means.toSorted((a = NaN, b = NaN) => b - a));
  expect(sentence).toMatch(
    / (leads|is ahead) in success rate with \d\d\.\d \[\d+(\.\d)?, \d+(\.\d)?\] % \(3 seeds\), then /,
  );
}

it("docs/rescue.md states table, counts, costs and hypotheses of the recorded branches", { tags: "soak" }, async () => {
  const rescued = [...imported].flatMap(([name, ids]) => (name.startsWith("rescue") ? ids : []));
  const { answer: report } = await answers.rescue(database, { sweepIds: rescued, by: "method" });
  const document = (await readFile(join(root, "docs/rescue.md"), "utf8")).replaceAll(/\s+/g, " ");
  expect(listStatements(report).filter((statement) => !document.includes(statement))).toEqual([]);
});

it(
  "all other studies are left out of what Table 3 on Sokoban says, also beside it",
  { tags: "soak", timeout: 900_000 },
  async () => {
    if (before === undefined) throw new Error(`${first} was not imported`);
    const { findings } = before.claims;
    expect(findings.some(({ parts }) => parts.some(({ numContexts }) => numContexts > 0))).toBe(true);
    expect(new Set(before.precedents)).toEqual(new Set([""]));

    const sweepIds = imported.get(first) ?? [];
    const { dependent, kinds } = await listDependent(
      [...imported].flatMap(([name, ids]) => (name === first ? [] : ids)),
    );
    expect(kinds).toEqual({ rescue: 36, remedies: 29, laboratory: 1, transfer: 0 });
    const rescues = [...sweepIds, ...dependent.filter(isRescue).slice(0, 19)];
    const together = await answers.claims(database, { sweepIds: rescues, metric });
    expect(together.findings).toEqual(findings);
    expect(together.leftOut?.numBranches).toBeGreaterThan(700);
    // With every branch as a seed, the branches of a few collapsed runs decide claims.
    const decided = ({ findings }: typeof together) => findings.filter(({ outcome }) => outcome === "supported").length;
    const every = await readTable(database, { kind: "claims", sweepIds: rescues, metric });
    const supported = new Set(
      every.rows.flatMap(({ cells: [, verdict], block }) => (isSupported(verdict) ? [block] : [])),
    );
    expect(supported.size).toBeGreaterThan(decided(together));
    const added = await answers.claims(database, { sweepIds: rescues, metric, dependent: "added" });
    expect(added.leftOut?.included?.numRepeated).toBeGreaterThan(500);
    const offered = (await readAnswering(database, { sweepIds, metric })).flatMap((one) => one.sweepIds);
    expect(offered.filter((id) => dependent.includes(id))).toEqual([]);
  },
);

it("docs/rescue.md states the numbers of its only synchronous run", { tags: "soak" }, async () => {
  const sweeps = await database.prisma.sweep.findMany({ where: { name: { startsWith: "Rescue of table-3" } } });
  const { table } = await answers.rescue(database, { sweepIds: sweeps.map(({ id }) => id), by: "method" });
  const document = await readFile(join(root, "docs/rescue.md"), "utf8");
  const stated = document.split("\n").find((line) => line.startsWith("- **Synchronous runs")) ?? "";
  const percent = (x: number) =>
    String(Math.round(Math.abs(100 * x))).replace(/^/, x < 0 && Math.round(100 * x) !== 0 ? "−" : "");
  const effects = table.rows.flatMap(({ cells }) => cells.filter((cell) => cell.kind === "estimate"));
  expect(effects).toHaveLength(7);
  for (const { mean: effect, interval } of effects) {
    const [low, high] = [percent(interval?.low ?? NaN), percent(interval?.high ?? NaN)];
    expect(stated).toContain(`${percent(Math.abs(effect))} ${effect > 0.13 ? "points " : ""}[${low}, ${high}]`);
  }
});

it("recorded rescues are precedents of a similar run, and of no harder task", { tags: "soak" }, async () => {
  // The origins' siblings are similar. A run without lag and low precision on a harder task is not.
  const origin = await database.pool.query<{ id: string }>(
    `SELECT r.id FROM run r WHERE r.id LIKE 'laboratory-main%-s7' AND r.cell_id IN (SELECT o.cell_id FROM run o
       JOIN cell b ON b.spec->'initialisation'->>'run' = o.id)`,
  );
  const [sibling = ""] = origin.rows.map(({ id }) => id);
  expect((await citeAll([sibling]))[0]).not.toBe("");
  const harder = "name: Harder\nmethods: [grpo]\nenvironments: [{ id: sokoban, size: 8, numBoxes: 2 }]\nseeds: [0]\n";
  const { id } = await createFromYaml({ database, home }, harder);
  expect(await citeAll([`${id}-c0-s0`])).toEqual([""]);
});

async function listDependent(ids: readonly string[]) {
  const dependent = [...(await findDependentSweeps(database.pool, ids))];
  const count = (kind: string) => dependent.filter((id) => id.startsWith(kind)).length;
  const rescue = dependent.filter(isRescue).length;
  const remedies = count("rescue") - rescue;
  return { dependent, kinds: { rescue, remedies, laboratory: count("laboratory"), transfer: count("transfer") } };
}

/** True if the sweep is one of studies/rescue. Those of studies/remedies are named after their origins, too. */
function isRescue(id: string): boolean {
  return id.startsWith("rescue") && !id.startsWith("rescue-of-remedies");
}

const isSupported = (cell: TableCell | undefined): boolean => cell?.kind === "text" && cell.key === "supported";
