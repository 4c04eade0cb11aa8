import { afterAll, beforeAll, expect, it } from "vitest";
import { summariseRuns } from "#server/db/runs/runSummaries.ts";
import { listSweeps } from "#server/db/plan/sweeps.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { replayWaiting } from "#server/engine/ingest/replayRun.ts";
import { type CollapseCount, detectorVersion, writeCollapses } from "#packages/detector";
import { readBuiltTable } from "../publish/builtTables.ts";
import { verifyTable } from "./proofs.ts";
import { answers, readTable } from "../publish/answers.ts";
import { readHeadline } from "../runs/headline.ts";
import { insertProvenStudy } from "../testing/provenStudy.ts";
import { readImportance } from "./runStudy.ts";

let database: TestDatabase;
const sweepIds = ["main"];
let expected: CollapseCount;

beforeAll(async () => {
  database = await makeTestDatabase();
  await insertProvenStudy(database);
  while (await replayWaiting(database.pool, 100));
  while (await summariseRuns(database.pool, 100));
  // Every second healthy run becomes unclear.
  await database.pool.query(
    `UPDATE detection SET hindsight = jsonb_set(hindsight, '{label,kind}', '"ambiguous"')
     WHERE hindsight->'label'->>'kind' = 'healthy' AND run_id ~ '^main-[0-9]+-[02]$'`,
  );
  const { rows } = await database.pool.query<CollapseCount>(
    `SELECT count(*) FILTER (WHERE kind <> 'notJudged')::int AS "numJudged",
       count(*) FILTER (WHERE kind IN ('collapseTerminal', 'collapseRecovered', 'nonFinite'))::int AS "numCollapsed",
       count(*) FILTER (WHERE kind = 'ambiguous')::int AS "numUnclear"
     FROM (SELECT hindsight->'label'->>'kind' AS kind FROM detection WHERE run_id LIKE 'main-%') AS labels`,
  );
  expected = rows[0] ?? { numJudged: 0, numCollapsed: 0, numUnclear: 0 };
});
afterAll(() => database.close());

const add = (counts: readonly CollapseCount[]): CollapseCount =>
  counts.reduce(
    (sum, one) => ({
      numJudged: sum.numJudged + one.numJudged,
      numCollapsed: sum.numCollapsed + one.numCollapsed,
      numUnclear: sum.numUnclear + one.numUnclear,
    }),
    { numJudged: 0, numCollapsed: 0, numUnclear: 0 },
  );

/** Reads "28 of 90 runs collapsed, 25 unclear" from a text. */
function parse(text: string): CollapseCount {
  const [, k, n, u = "0"] = /(\d+) of (\d+)(?: \w+)* collapsed(?:, (\d+) unclear)?/.exec(text) ?? [];
  return { numJudged: Number(n), numCollapsed: Number(k), numUnclear: Number(u) };
}

/** Number of collapses of the whole sweep, in each place that states it. */
const places: Record<string, () => Promise<CollapseCount>> = {
  headline: async () => parse((await readHeadline(database, "main")).sentence),
  "list of sweeps": async () => {
    const sweep = (await listSweeps(database)).find(({ id }) => id === "main");
    return add(sweep ? [sweep] : []);
  },
  survival: async () => {
    const { groups } = await answers.survival(database, { sweepIds, by: "method" });
    return add(groups.map(({ numRuns, ...group }) => ({ ...group, numJudged: numRuns })));
  },
  "built table": async () => {
    const { table } = await readBuiltTable(database, { sweepIds, options: {} });
    const shares = table.rows.flatMap(({ cells }) => cells.flatMap((cell) => (cell.kind === "share" ? cell : [])));
    const note = table.notes.find((text) => text.startsWith("Unclear in hindsight")) ?? "";
    const unclear = [...note.matchAll(/(\d+) of \d+/g)].map(([, n]) => Number(n));
    return add([
      ...shares.map(({ k, n }) => ({ numJudged: n, numCollapsed: k, numUnclear: 0 })),
      ...unclear.map((numUnclear) => ({ numJudged: 0, numCollapsed: 0, numUnclear })),
    ]);
  },
  hyperparameters: async () => {
    const asked = { scope: { sweepIds }, columns: [], outcome: "collapsed", form: "method" } as const;
    const { ranks } = await readImportance(database, asked);
    return add(ranks.flatMap(({ rows }) => rows.map(({ collapsed }) => collapsed)));
  },
  "early warning, frozen rules": async () => {
    const { groups } = await answers.blind(database, { sweepIds, rules: detectorVersion, half: "all" });
    return add(groups.map(({ heading }) => parse(heading)));
  },
  "early warning, signals": async () =>
    parse((await answers.climbs(database, { sweepIds })).table.rows[0]?.heading ?? ""),
};

it.each(Object.entries(places))("counts the same judged, collapsed and unclear runs: %s", async (_, read) => {
  expect(expected.numUnclear).toBeGreaterThan(2);
  expect(expected.numCollapsed).toBeGreaterThan(2);
  expect(writeCollapses(await read())).toBe(writeCollapses(expected));
});

it("names the methods of unclear runs below the table of stability", async () => {
  const { notes } = await readTable(database, { kind: "stability", sweepIds, collapses: "hindsight" });
  const [, list = ""] = /^Unclear in hindsight, .*: (.*)\.$/m.exec(notes.join("\n")) ?? [];
  const { groups } = await answers.survival(database, { sweepIds, by: "method" });
  const unclear = groups.filter(({ numUnclear }) => numUnclear > 0);
  expect(list.split(", ").toSorted()).toEqual(
    unclear.map(({ group, numUnclear, numRuns }) => `${group} ${numUnclear} of ${numRuns}`).toSorted(),
  );
});

it("verifies tables about alarms from before this rule, which left unclear runs out", async () => {
  const numJudged = expected.numJudged - expected.numUnclear;
  for (const [query, now] of [
    [{ kind: "climbs", sweepIds }, await answers.climbs(database, { sweepIds })],
    [
      { kind: "blind", sweepIds, rules: detectorVersion, half: "all" },
      await answers.blind(database, { sweepIds, rules: detectorVersion, half: "all" }),
    ],
  ] as const) {
    const former = await readTable(database, query);
    expect(parse(former.rows[0]?.heading ?? "")).toEqual({ ...expected, numJudged, numUnclear: 0 });
    expect(former.provenance.proof).toBeUndefined();
    const hash = now.table.provenance.proof ?? "none";
    const verdict = await verifyTable(database, hash, (asked, code) => readTable(database, asked, code));
    expect([verdict.isSame, verdict.query]).toEqual([true, { ...query, unclear: "counted" }]);
  }
});
