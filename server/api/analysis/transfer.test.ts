import { afterAll, beforeAll, expect, test } from "vitest";
import { Elsewhere } from "#trainer/spec/elsewhere.ts";
import { askEvaluations, endEvaluation } from "#server/db/runs/evaluations.ts";
import { createSweep } from "#server/db/plan/sweeps.ts";
import { makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { insertAttempt, insertSweep } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { findPaperItem, findRecipe } from "#server/domain/publish/papers/papers.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { printResult } from "#server/cli/publish/papers/printResult.ts";
import { verifyByHash } from "#server/cli/publish/table.ts";
import { answers, readTable } from "../publish/answers.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());

const plan = parsePlan(`name: Rooms
methods: [grpo]
environments: [{ id: sokoban }, { id: sokoban, size: 7 }]
base:
  budget: { iterations: 2 }
  evaluation:
    elsewhere:
      - { name: small, environment: { id: sokoban } }
      - { name: large, environment: { id: sokoban, size: 7 }, every: 1 }
seeds: [0, 1, 2]
`);
let sweepId = "";

/** Logs success before and after training, by evaluation; on the large rooms also during training. */
beforeAll(async () => {
  sweepId = await createSweep(database, { plan, expansion: expandPlan(plan) });
  const names = ["small", "large"].map((name) => `evaluation/elsewhere/${name}/successRate`);
  const keys = ["evaluation/successRate", ...names];
  const idOf = await makeMetricIds(database.pool)(keys);
  const metricIds = keys.map((key) => idOf.get(key) ?? -1);
  const runs = await database.prisma.run.findMany({ include: { cell: true } });
  for (const { id, seed, cell } of runs) {
    const attemptId = await insertAttempt(database, id, 1);
    const [small, large] = cell.index === 0 ? [0.8, 0.3] : [0.4, 0.6];
    const rows = [
      [0.2, 0.2, 0.1],
      [0.5, 0.9, 0.9],
      [cell.index === 0 ? small : large, small + seed / 100, large + seed / 100],
    ];
    await database.prisma.metricRow.createMany({
      data: rows.map((values, i) => ({
        attemptId,
        seq: i,
        iteration: i,
        optimizerStep: i,
        atMs: 0,
        metricIds,
        values,
      })),
    });
    await database.prisma.attempt.update({ where: { id: attemptId }, data: { numMetricLines: 3, lastSeq: 2 } });
    await database.prisma.run.update({ where: { id }, data: { status: "finished", latestIteration: 2 } });
  }
});

test("reads the values before the first iteration and after the last by the environments of training and evaluation", async () => {
  const { columns, rows, titles, table, longCsv, hasScore } = await answers.transfer(database, {
    sweepIds: [sweepId],
    measure: "successRate",
  });
  expect(columns.map((key) => titles[key])).toEqual(["small", "large"]);
  expect(rows.map(({ environment, cells }) => [titles[environment], ...cells.map((cell) => cell.after.mean)])).toEqual([
    ["small", expect.closeTo(0.81), expect.closeTo(0.31)],
    ["large", expect.closeTo(0.41), expect.closeTo(0.61)],
  ]);
  expect(rows[0]?.cells[1]).toMatchObject({
    change: { mean: expect.closeTo(0.21), n: 3 },
    toOwn: { mean: expect.closeTo(-0.3), n: 3 },
  });
  expect(longCsv.trimEnd().split("\n")).toHaveLength(1 + 2 * 6);
  expect(hasScore).toBe(false);
  const hash = table.provenance.proof ?? "";
  expect(await verifyByHash(database, hash)).toMatchObject({ exitCode: 0 });
});

test("paper transfer prints the same table", async () => {
  const item = findPaperItem("transfer");
  const recipe = findRecipe(item, "embedded");
  const print = printResult(
    { database, address: undefined },
    { id: item.id, recipe },
    { sweeps: ["Rooms"], format: "latex" },
  );
  const { text } = await print;
  expect(text).toContain("\\multicolumn{3}{c}{large}");
  expect(text).toMatch(/small & .*81\.0.* & .*61\.0/);
  expect(text).toContain("table verify");
});

test("an evaluation after training fills in what its run did not measure, and older proofs stay valid", async () => {
  const before = await answers.transfer(database, { sweepIds: [sweepId], measure: "successRate" });
  const [run] = await database.prisma.run.findMany({ where: { sweepId }, orderBy: { id: "asc" } });
  const evaluation = { name: "huge", environment: { id: "sokoban", size: 8 } } as const;
  const asked = [0, null].map((iteration) => ({
    runId: run?.id ?? "",
    evaluation: Elsewhere.parse(evaluation),
    iteration,
  }));
  const ids = await askEvaluations(database, asked, null);
  for (const [i, id] of ids.entries()) {
    await database.prisma.storedEvaluation.update({ where: { id }, data: { state: "running", jobId: `e${id}.1` } });
    const measured = { successRate: 0.1 + 0.2 * i, turns: 3, iteration: 2 * i, policySha256: "ab" };
    await endEvaluation(database, `e${id}.1`, { result: measured });
  }
  const { columns, rows, titles, table } = await answers.transfer(database, {
    sweepIds: [sweepId],
    measure: "successRate",
  });
  expect(columns.map((key) => titles[key])).toEqual(["small", "large", "huge"]);
  const cell = rows.flatMap(({ cells }) => cells.slice(2)).find(({ after }) => after.n === 1);
  expect(cell).toMatchObject({ after: { mean: expect.closeTo(0.3) }, change: { mean: expect.closeTo(0.2), n: 1 } });
  for (const hash of [before.table.provenance.proof, table.provenance.proof]) {
    expect(await verifyByHash(database, hash ?? "")).toMatchObject({ exitCode: 0 });
  }
});

test("a mixture and a curriculum are rows, and their parts are columns", async () => {
  const mixed = parsePlan(`name: Mixed
methods: [grpo]
environments:
  - { id: mixture, parts: [{ name: small, environment: { id: sokoban } }, { name: huge, environment: { id: sokoban, size: 8 } }] }
  - id: curriculum
    phases:
      - { name: small, environment: { id: sokoban }, until: { iterations: 1 } }
      - { name: huge, environment: { id: sokoban, size: 8 } }
base: { budget: { iterations: 2 } }
seeds: [0]
`);
  const id = await createSweep(database, { plan: mixed, expansion: expandPlan(mixed) });
  const keys = ["evaluation/successRate", "evaluation/in/small/successRate", "evaluation/in/huge/successRate"];
  const idOf = await makeMetricIds(database.pool)(keys);
  const metricIds = keys.map((key) => idOf.get(key) ?? -1);
  for (const { id: runId } of await database.prisma.run.findMany({ where: { sweepId: id } })) {
    const attemptId = await insertAttempt(database, runId, 1);
    const rows = [
      [0.2, 0.3, 0.1],
      [0.5, 0.7, 0.3],
    ];
    await database.prisma.metricRow.createMany({
      data: rows.map((values, i) => ({
        attemptId,
        seq: i,
        iteration: 2 * i,
        optimizerStep: i,
        atMs: 0,
        metricIds,
        values,
      })),
    });
    await database.prisma.attempt.update({ where: { id: attemptId }, data: { numMetricLines: 2, lastSeq: 1 } });
    await database.prisma.run.update({ where: { id: runId }, data: { status: "finished", latestIteration: 2 } });
  }
  const { columns, rows, titles, table } = await answers.transfer(database, {
    sweepIds: [id],
    measure: "successRate",
  });
  expect(columns.map((key) => titles[key])).toEqual(["small", "huge"]);
  expect(
    rows.map(({ environment, cells }) => [titles[environment], ...cells.map(({ change }) => change.mean)]),
  ).toEqual([
    ["Mixture of small and huge", expect.closeTo(0.4), expect.closeTo(0.2)],
    ["Curriculum small → huge", expect.closeTo(0.4), expect.closeTo(0.2)],
  ]);
  expect(await verifyByHash(database, table.provenance.proof ?? "")).toMatchObject({ exitCode: 0 });
});

test("sweeps with other settings have rows with their names, and sweeps with the same share them", async () => {
  const make = (changed: object) =>
    createSweep(database, { plan: { ...plan, ...changed }, expansion: expand(changed) });
  const expand = (changed: object) => expandPlan({ ...plan, ...changed });
  const again = await make({ name: "Again", seeds: [3] });
  const other = await make({ name: "Slow", base: { ...plan.base, optimizer: { learningRate: 1e-5 } } });
  const rowsOf = async (...sweepIds: string[]) => {
    const { rows } = await answers.transfer(database, { sweepIds, measure: "successRate" });
    return rows.map(({ configuration, runIds }) => [configuration, runIds.length]);
  };
  const merged = ["GRPO", 4];
  expect(await rowsOf(sweepId, again)).toEqual([merged, merged]);
  const own = ["GRPO · Rooms", 3];
  const slow = ["GRPO · Slow", 3];
  const apart = await rowsOf(sweepId, other);
  expect(apart).toHaveLength(4);
  expect(apart).toEqual(expect.arrayContaining([own, own, slow, slow]));
  const query = { kind: "transfer", sweepIds: [sweepId, other], measure: "successRate" } as const;
  expect((await readTable(database, query, "tables-10")).rows.map(({ runIds }) => runIds.length)).toEqual([3, 3]);
});

test("sweeps that evaluate nowhere else have no rows, and the command says what to write", async () => {
  await insertSweep(database, "plain", ["p0"]);
  expect((await answers.transfer(database, { sweepIds: ["plain"], measure: "successRate" })).rows).toEqual([]);
  const item = findPaperItem("transfer");
  const recipe = findRecipe(item, "embedded");
  await expect(
    printResult({ database, address: undefined }, { id: item.id, recipe }, { sweeps: ["plain"], format: "csv" }),
  ).rejects.toThrow(
    "no answer for plain: no run was evaluated elsewhere: name other environments in base.evaluation.elsewhere",
  );
});

/** Columns of external trainers with a budget of four iterations: verl logs iterations, TRL logs optimizer steps. */
const columnsOfOthers =
  "has a column for each data set of another trainer's validation files, named by the plan or as they are logged, after step %i";
test.each([4, 12])(columnsOfOthers, async (last) => {
  const { plan: other, expansion } = planElsewhere("val-core/math/acc/mean@1");
  const id = await createSweep(database, { plan: other, expansion });
  const logged = {
    "evaluation/successRate": [0.2, 0.5],
    "evaluation/elsewhere/MATH/successRate": [0.1, 0.3],
    "taskSuccess/aime24": [0, 0.05],
  };
  const idOf = await makeMetricIds(database.pool)(Object.keys(logged));
  for (const { id: runId } of await database.prisma.run.findMany({ where: { cell: { sweepId: id } } })) {
    const attemptId = await insertAttempt(database, runId, 1);
    const metricIds = Object.keys(logged).map((key) => idOf.get(key) ?? -1);
    const data = [0, 1].map((seq) => {
      const values = Object.values(logged).map((one) => one[seq] ?? NaN);
      return { attemptId, seq, iteration: last * seq, optimizerStep: seq, atMs: 0, metricIds, values };
    });
    await database.prisma.metricRow.createMany({ data });
    await database.prisma.attempt.update({ where: { id: attemptId }, data: { numMetricLines: 2, lastSeq: 1 } });
    await database.prisma.run.update({ where: { id: runId }, data: { status: "finished", latestIteration: last } });
  }
  const { columns, rows, titles, isEvaluable } = await answers.transfer(database, {
    sweepIds: [id],
    measure: "successRate",
  });
  expect(isEvaluable).toBe(false);
  expect(columns.map((key) => titles[key] ?? key)).toEqual(["GSM8K", "MATH", "aime24"]);
  expect(rows[0]?.cells.map(({ isOwn, change: { mean, n } }) => [isOwn, mean, n])).toEqual([
    [true, expect.closeTo(0.3), 2],
    [false, expect.closeTo(0.2), 2],
    [false, expect.closeTo(0.05), 2],
  ]);
});

function planElsewhere(success: string) {
  const made = parsePlan(`name: Data sets
methods: [grpo]
environments: [{ id: custom, title: GSM8K, dataFolder: gsm8k, metrics: { success: val-core/gsm8k/acc/mean@1 } }]
base:
  trainer: { name: verl, options: {} }
  budget: { iterations: 4 }
  evaluation:
    elsewhere: [{ environment: { id: custom, title: MATH, dataFolder: math, metrics: { success: ${success} } } }]
seeds: [0, 1]
`);
  return { plan: made, expansion: expandPlan(made) };
}

test("states that intervals ignore looks, if seeds were added after one", async () => {
  const notesOf = async () =>
    (await answers.transfer(database, { sweepIds: [sweepId], measure: "successRate" })).table.notes.join(" ");
  expect(await notesOf()).not.toContain("treat all seeds as planned");
  await database.pool.query("UPDATE run SET started_at = '2026-01-01' WHERE sweep_id = $1", [sweepId]);
  await database.pool.query("UPDATE run SET added_at = '2026-01-02' WHERE sweep_id = $1 AND seed = 2", [sweepId]);
  expect(await notesOf()).toContain("treat all seeds as planned");
});
