import { afterAll, beforeAll, expect, it } from "vitest";
import { makeNotifications, type Notifications } from "#server/db/storage/notifications.ts";
import { inTransaction } from "#server/db/storage/inTransaction.ts";
import { appendPoints, makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { createSweep } from "#server/db/plan/sweeps.ts";
import { insertAttempt } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { nominalLevel, sequentialP } from "#packages/statistics";
import { welchTest } from "#packages/statistics/twoSampleTests.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import { tellLeftOut } from "#server/domain/plan/sweep/dependence.ts";
import { readTable } from "../publish/answers.ts";
import { readHeadline } from "../runs/headline.ts";
import { createCaller } from "../root.ts";
import { makeAnalystHere } from "../testing/analystHere.ts";

const metric = "evaluation/successRate";
let database: TestDatabase;
let notifications: Notifications;
let caller: ReturnType<typeof createCaller>;
let sweepId: string;
/** Value that a run logs at every evaluation, by method and seed. */
const values = { GRPO: [0.2, 0.3, 0.25, 0.35], GSPO: [0.6, 0.7, 0.65, 0.8] };

/** Stores ten evaluations of each run, all with its value. */
async function logEvaluations(runs: readonly { id: string; value: number }[]): Promise<void> {
  const ids = await makeMetricIds(database.pool)([metric]);
  for (const { id, value } of runs) {
    const attemptId = await insertAttempt(database, id, 1);
    const lines = Array.from({ length: 10 }, (_, i) => ({
      attemptId,
      seq: i,
      iteration: i + 1,
      optimizerStep: i,
      atMs: i,
      metricIds: [ids.get(metric) ?? 0],
      values: [value],
    }));
    await inTransaction(database.pool, (client) => appendPoints(client, lines));
    const data = { numMetricLines: lines.length, lastSeq: 9, started: { firstIteration: 1 } };
    await database.prisma.attempt.update({ where: { id: attemptId }, data });
  }
}

beforeAll(async () => {
  database = await makeTestDatabase();
  notifications = makeNotifications(database.url);
  caller = createCaller({
    database,
    notifications,
    analyst: makeAnalystHere(database),
    caller: { kind: "session", isSameOrigin: true, person: null },
  });
  const plan = SweepPlan.parse({
    name: "two",
    methods: ["grpo", "gspo"],
    environments: [{ id: "sokoban" }],
    seeds: [0, 1, 2, 3],
  });
  sweepId = await createSweep(database, { plan, expansion: expandPlan(plan) });
  const { cells, runs } = await caller.run.grid({ sweepIds: [sweepId] });
  await logEvaluations(
    runs.map((run) => {
      const method = cells.find((cell) => cell.id === run.cellId)?.method;
      return { ...run, value: values[method === "GSPO" ? "GSPO" : "GRPO"][run.seed] ?? NaN };
    }),
  );
});
afterAll(async () => {
  await notifications.close();
  await database.close();
});

it("compares whole configurations: what differs, and final values with Welch's interval and p against the first", async () => {
  const { cells } = await caller.run.grid({ sweepIds: [sweepId] });
  const asked = { runIds: [], cellIds: cells.map(({ id }) => id) };
  const { configurations, differing, same, missing } = await caller.comparison.configurations(asked);
  expect(configurations.map(({ method, runs }) => [method, runs.length])).toEqual([
    ["GRPO", 4],
    ["GSPO", 4],
  ]);
  expect(differing.map(({ path }) => path)).toContain("method.clipping.kind");
  expect(differing.every(({ path }) => path.startsWith("method."))).toBe(true);
  expect(same.map(({ path }) => path)).toContain("environment.id");
  expect(missing).toEqual([]);
  const [first, second] = await caller.comparison.finals({ ...asked, metric });
  const test = welchTest(values.GSPO, values.GRPO);
  expect(first).toMatchObject({ n: 4, difference: undefined });
  expect(first?.mean).toBeCloseTo(0.275, 10);
  expect(second?.difference).toEqual({
    value: expect.closeTo(0.4125, 10),
    interval: { low: expect.closeTo(test.interval.low, 10), high: expect.closeTo(test.interval.high, 10) },
    p: expect.closeTo(test.p, 10),
    pairing: "unpaired",
  });
  const [from, to] = await caller.comparison.finals({ ...asked, metric, baseline: second?.cellId ?? 0 });
  expect(from?.difference?.value).toBeCloseTo(-0.4125, 10);
  expect(to).toMatchObject({ cellId: second?.cellId, difference: undefined });
});

it("reads configurations by the names of the page's address, and says which name no configuration has", async () => {
  const { cells } = await caller.run.grid({ sweepIds: [sweepId] });
  const gspo = cells.find(({ method }) => method === "GSPO");
  const names = { runIds: [], cellIds: [], cells: [`${sweepId}/GSPO`, `${sweepId}/PPO`, "GRPO"] };
  const { configurations, missing } = await caller.comparison.configurations(names);
  expect(configurations.map(({ cellId, method }) => [cellId, method])).toEqual([[gspo?.id, "GSPO"]]);
  expect(missing).toEqual([`${sweepId}/PPO`, "GRPO"]);
  const finals = await caller.comparison.finals({ ...names, metric });
  expect(finals).toEqual(await caller.comparison.finals({ runIds: [], cellIds: [gspo?.id ?? 0], metric }));
});

it("tells configurations of equal short labels apart by their index, and reads all of them without it", async () => {
  const plan = SweepPlan.parse({
    name: "alike",
    methods: ["grpo", "gspo"],
    environments: [{ id: "sokoban" }],
    seeds: [0],
  });
  const id = await createSweep(database, { plan, expansion: expandPlan(plan) });
  await database.pool.query("UPDATE cell SET method = 'GRPO', label = '' WHERE sweep_id = $1", [id]);
  const read = async (...cells: string[]) => {
    const { configurations, missing } = await caller.comparison.configurations({ runIds: [], cellIds: [], cells });
    return { names: configurations.map(({ name }) => name), missing };
  };
  const names = [`${id}/GRPO #0`, `${id}/GRPO #1`];
  expect(await read(`${id}/GRPO #1`)).toEqual({ names: names.slice(1), missing: [] });
  expect(await read(`${id}/GRPO`)).toEqual({ names, missing: [] });
});

it("answers the question of a sweep like the page, with an oracle for p, and refuses an unknown baseline", async () => {
  const { sentence = "", table, longCsv } = await caller.analysis.compare({ sweepIds: [sweepId], metric });
  const { p } = welchTest(values.GSPO, values.GRPO);
  const numbers = table.rows.map(({ cells: [name, seeds, mean, difference, pCell] }) => ({
    name: name?.kind === "text" && name.text,
    seeds: seeds?.kind === "number" && seeds.value,
    mean: mean?.kind === "estimate" && mean.mean,
    difference: difference?.kind === "estimate" && difference.mean,
    p: pCell?.kind === "number" && pCell.value,
  }));
  const [mean, other] = [expect.closeTo(0.275, 10), expect.closeTo(0.6875, 10)];
  expect(numbers).toEqual([
    { name: "GRPO", seeds: 4, mean, difference: false, p: false },
    { name: "GSPO", seeds: 4, mean: other, difference: expect.closeTo(0.4125, 10), p: expect.closeTo(p, 10) },
  ]);
  expect(sentence).toMatch(
    /^GSPO leads in success rate with 68\.8 \[.*\] % \(4 seeds\), then GRPO with 27\.5 \[.*; the difference is significant: \+41\.\d \[/,
  );
  expect(longCsv.trim().split("\r\n")).toHaveLength(9);
  const asked = { sweepIds: [sweepId], metric };
  const { table: turned } = await caller.analysis.compare({ ...asked, baseline: "GSPO" });
  expect(turned.rows[0]?.cells[3]).toMatchObject({ mean: expect.closeTo(-0.4125, 10) });
  await expect(caller.analysis.compare({ ...asked, baseline: "PPO" })).rejects.toThrow(
    'baseline: no configuration "PPO"; there are GRPO, GSPO',
  );
});

it("compares each environment with a baseline of its own, the chosen method where it is there", async () => {
  const plan = SweepPlan.parse({
    name: "several",
    methods: ["grpo", "gspo"],
    environments: [{ id: "sokoban" }, { id: "webshop" }],
    seeds: [0],
  });
  const { cells } = await caller.run.grid({
    sweepIds: [await createSweep(database, { plan, expansion: expandPlan(plan) })],
  });
  const asked = { runIds: [], cellIds: cells.map(({ id }) => id), metric };
  const nameOf = (wanted: number) => {
    const cell = cells.find(({ id }) => id === wanted);
    return `${cell?.method} ${cell?.environment}`;
  };
  const baselines = async (baseline?: number) =>
    (await caller.comparison.finals({ ...asked, ...(baseline !== undefined && { baseline }) })).map(
      ({ cellId, baselineId }) => `${nameOf(cellId)} to ${nameOf(baselineId)}`,
    );
  expect((await baselines()).toSorted()).toEqual([
    "GRPO sokoban to GRPO sokoban",
    "GRPO webshop to GRPO webshop",
    "GSPO sokoban to GRPO sokoban",
    "GSPO webshop to GRPO webshop",
  ]);
  const gspo = cells.find(({ method, environment }) => method === "GSPO" && environment === "webshop");
  expect(new Set((await baselines(gspo?.id)).map((text) => text.split(" to ")[1]))).toEqual(
    new Set(["GSPO sokoban", "GSPO webshop"]),
  );
});

it("compares single runs: one seed a side has neither interval nor p, and what is gone is named", async () => {
  const { runs } = await caller.run.grid({ sweepIds: [sweepId] });
  const two = runs.filter(({ seed }) => seed === 1).map(({ id }) => id);
  const { configurations, missing } = await caller.comparison.configurations({ runIds: [...two, "gone"], cellIds: [] });
  expect(configurations.map((one) => one.runs.map(({ seed }) => seed))).toEqual([[1], [1]]);
  expect(missing).toEqual(["gone"]);
  const [, second] = await caller.comparison.finals({ runIds: two, cellIds: [], metric });
  expect(second).toMatchObject({ n: 1, interval: null });
  expect(second?.difference).toEqual({ value: expect.closeTo(0.4, 10), interval: null, p: null, pairing: "unpaired" });
});

it("allows for every look if seeds were added after one, and says how often was looked", async () => {
  const start = (seeds: string, dates: string) =>
    database.pool.query(`UPDATE run SET ${dates} WHERE sweep_id = $1 AND seed ${seeds}`, [sweepId]);
  await start("< 3", "started_at = '2026-01-01', status = 'finished'");
  await start("= 3", "added_at = '2026-01-02', started_at = '2026-01-03', status = 'finished'");
  const { cells } = await caller.run.grid({ sweepIds: [sweepId] });
  const [, found] = await caller.comparison.finals({ runIds: [], cellIds: cells.map(({ id }) => id), metric });
  const test = welchTest(values.GSPO, values.GRPO, 1 - nominalLevel(0.05, [3, 4]));
  expect(found?.difference?.p).toBeCloseTo(sequentialP(test.p, [3, 4]), 10);
  expect(found?.difference?.p).toBeGreaterThan(1.5 * test.p);
  expect(found?.difference?.interval?.low).toBeCloseTo(test.interval.low, 10);

  const { table, leftOut } = await caller.analysis.compare({ sweepIds: [sweepId], metric });
  expect(table.rows[1]?.cells.at(-1)).toEqual({ kind: "number", value: found?.difference?.p });
  expect(table.notes.join(" ")).toContain("allow for all looks before seeds were added");
  expect(leftOut && tellLeftOut(leftOut)).toBe("Including 2 seeds added after the launch (looked 2 times).");
  const noteOf = async (of: "survival" | "dimensions" | "blind" | "climbs" | "phases") =>
    (await caller.analysis[of]({ sweepIds: [sweepId] })).table.notes;
  expect(await noteOf("survival")).toContainEqual(expect.stringContaining("allow for all looks"));
  for (const id of ["dimensions", "blind", "climbs", "phases"] as const) {
    expect(await noteOf(id)).toContainEqual(expect.stringContaining("treat all seeds as planned"));
  }
  const former = await readTable(database, { kind: "compare", sweepIds: [sweepId], metric, baseline: "" }, "tables-5");
  expect(former.rows[1]?.cells.at(-1)).toEqual({ kind: "number", value: expect.closeTo(test.p, 12) });
  const columnsOf = async (code?: string) =>
    (
      await readTable(database, { kind: "survival", sweepIds: [sweepId], by: "method", baseline: "GRPO" }, code)
    ).columns.map(({ key }) => key);
  expect(await columnsOf("tables-7")).toContain("successDifference");
  expect(await columnsOf()).not.toContain("successDifference");
});

it("says which seeds would decide a difference that could be chance, in the headline as in the comparison", async () => {
  const grpo = await database.prisma.run.findMany({
    where: { sweepId, cell: { method: "GRPO" } },
    select: { id: true },
  });
  await database.pool.query(
    `UPDATE metric_row SET values = ARRAY[values[1] + 0.35] WHERE attempt_id IN (SELECT id FROM attempt WHERE run_id = ANY($1))`,
    [grpo.map(({ id }) => id)],
  );
  const { undecided } = await caller.analysis.compare({ sweepIds: [sweepId], metric });
  expect(undecided).toEqual([
    {
      names: ["GSPO", "GRPO"],
      sweepIds: [sweepId],
      needed: expect.objectContaining({ n: 4, difference: expect.closeTo(0.0625, 9) }),
    },
  ]);
  const headline = await readHeadline(database, sweepId);
  expect(headline.undecided).toEqual([{ names: ["GSPO", "GRPO"], needed: undecided[0]?.needed }]);
  expect(undecided[0]?.needed.atObserved).toBeGreaterThan(undecided[0]?.needed.atTenPoints ?? NaN);
});

it("names settings that a search sampled with four digits in its sentence, and in full in its table", async () => {
  const plan = SweepPlan.parse({
    name: "sampled",
    methods: ["grpo"],
    environments: [{ id: "sokoban" }],
    seeds: [0, 1],
    axes: { "optimizer.learningRate": [0.000345678901, 0.00123456789] },
  });
  const id = await createSweep(database, { plan, expansion: expandPlan(plan) });
  const { runs } = await caller.run.grid({ sweepIds: [id] });
  await logEvaluations(runs.map((run) => ({ ...run, value: run.cellId + run.seed / 100 })));
  const { sentence = "", table } = await caller.analysis.compare({ sweepIds: [id], metric });
  expect(sentence).toMatch(/GRPO · lr 1\.235e-3/);
  expect(sentence).not.toMatch(/\d\.\d{4,}/);
  expect(JSON.stringify(table.rows)).toContain("3.45678901e-4");
});
