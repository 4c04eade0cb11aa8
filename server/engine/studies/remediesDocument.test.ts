// @module-tag soak
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { withRates } from "#packages/detector";
import { groupBy } from "#packages/base";
import { formatOf } from "#packages/tables";
import { answer } from "#server/api/publish/answers.ts";
import { readStabilityFacts } from "#server/db/analysis/detections.ts";
import { readDiagnoses } from "#server/db/runs/diagnoses.ts";
import { readLoggedPointsOf } from "#server/db/runs/points.ts";
import { summariseRuns } from "#server/db/runs/runSummaries.ts";
import { readRows } from "#server/db/storage/readRows.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { causes, type Diagnosis, notFound } from "#server/domain/analysis/diagnosis/causes.ts";
import { nothing } from "#server/domain/analysis/rescue/rescueArms.ts";
import { diagnoseAlarm } from "#server/domain/analysis/diagnosis/diagnose.ts";
import { diagnosedKeys } from "#server/domain/analysis/diagnosis/rules.ts";
import { parseStoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import { replayWaiting } from "#server/engine/ingest/replayRun.ts";
import { importStudy } from "./importStudy.ts";

const database = await makeTestDatabase();
const home = await mkdtemp(join(tmpdir(), "arlarena-remedies-"));
const sweepIds: string[] = [];
beforeAll(async () => {
  const folder = join("studies", "remedies");
  for (const name of (await readdir(folder)).toSorted()) {
    const { sweeps } = await importStudy(database, home, join(folder, name));
    sweepIds.push(...sweeps.map(({ id }) => id));
  }
  while (await replayWaiting(database.pool, 100));
  while (await summariseRuns(database.pool, 100));
}, 600_000);
afterAll(async () => {
  await database.close();
  await rm(home, { recursive: true, force: true });
});

const normalise = (text: string) => text.replaceAll(/[\\*_]/g, "").replaceAll(/ +/g, " ");
const document = normalise(await readFile(join("docs", "remedies.md"), "utf8"));

it("docs/remedies.md quotes the table of the recorded causes, and shows it as causes × remedies", async () => {
  const { sentence = "", table } = await answer(database, "rescue", { sweepIds, by: "cause" });
  const rows = formatOf.markdown
    .print(table)
    .split("\n")
    .filter((line) => line.startsWith("|") && !/^\|[ :|-]+$/.test(line));
  const numHeadings = new Set(table.rows.flatMap(({ heading }) => heading ?? [])).size;
  expect(rows.length).toBe(1 + numHeadings + table.rows.length);
  expect(rows.map(normalise).filter((row) => !document.includes(row))).toEqual([]);
  expect(document).toContain(normalise(sentence));

  const printed = rows.slice(1).filter((line) => !/^\|[^|]+[ |]+$/.test(line));
  const cells = table.rows.map(({ heading = "" }, i) => {
    const [, arm = "", ...values] = normalise(printed[i] ?? "")
      .split("|")
      .map((value) => value.trim());
    const [difference = "", p = ""] = values.slice(-3);
    return { heading, arm, text: Number(p.replace("< ", "")) < 0.05 ? `${difference}, p ${p}` : difference };
  });
  const headings = [...new Set(cells.map(({ heading }) => heading))].slice(1);
  const arms = [...new Set(cells.map(({ arm }) => arm))].filter((arm) => arm !== nothing);
  const matrix = arms.map((arm) => {
    const own = headings.map((heading) => cells.find((one) => one.heading === heading && one.arm === arm)?.text ?? "–");
    return `| ${[arm, ...own].join(" | ")} |`;
  });
  expect(matrix.filter((row) => !document.includes(row))).toEqual([]);
});

const Origin = z.object({
  sweep: z.string(),
  id: z.string(),
  spec: z.unknown(),
  branched: z.int().nullable(),
});

it("docs/remedies.md counts collapses, branching points and causes that the rules name", async () => {
  const runs = await readRows(database.pool, Origin, {
    sql: `SELECT s.name AS sweep, r.id, c.spec,
       (SELECT min((b.spec->'initialisation'->>'iteration')::int) FROM cell b WHERE b.spec->'initialisation'->>'run' = r.id)
         AS branched
     FROM run r JOIN cell c ON c.id = r.cell_id JOIN sweep s ON s.id = c.sweep_id
     WHERE s.name LIKE 'Remedies%' ORDER BY s.name, r.seed, c.index`,
  });
  const ids = runs.map(({ id }) => id);
  const facts = new Map((await readStabilityFacts(database.pool, { runIds: ids })).map((one) => [one.runId, one]));
  const inHindsight = await readDiagnoses(database.pool, ids);
  const points = await readLoggedPointsOf(database.pool, ids, diagnosedKeys);
  const rows = [...groupBy(runs, (run) => run.sweep)].map(([sweep, own]) => {
    const count = (words: RegExp) => own.filter(({ id }) => words.test(facts.get(id)?.hindsight.word ?? "")).length;
    const collapsed = own.filter(({ id }) => inHindsight.has(id));
    const atAlarm = collapsed.flatMap(({ id, spec }) => {
      const at = facts.get(id)?.alarm.iteration;
      const about = { points: withRates(points.get(id) ?? []), spec: parseStoredSpec(spec) };
      return typeof at === "number" ? diagnoseAlarm({ ...about, at }) : [];
    });
    const row = [
      sweep.replace("Remedies · ", ""),
      `${count(/^collapsed/)} of ${own.length}`,
      count(/^unclear/),
      own.flatMap(({ branched }) => branched ?? []).join(", ") || "–",
      countCauses([...inHindsight].flatMap(([id, one]) => (own.some((run) => run.id === id) ? one : []))),
      countCauses(atAlarm),
    ];
    return `| ${row.join(" | ")} |`;
  });
  expect(rows.filter((row) => !document.includes(row))).toEqual([]);
});

/** Counts named causes: "stale sampler 9". */
function countCauses(diagnoses: readonly Diagnosis[]): string {
  const named = groupBy(
    diagnoses,
    ({ findings }) => findings.map(({ cause }) => causes[cause]).join(" + ") || notFound,
  );
  return [...named].map(([name, own]) => `${name} ${own.length}`).join(", ") || "–";
}
