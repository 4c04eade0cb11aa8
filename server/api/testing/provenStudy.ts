import type { Prisma } from "#server/db/generated/client.ts";
import { appendPoints, makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { inTransaction } from "#server/db/storage/inTransaction.ts";
import type { Database } from "#server/db/storage/client.ts";
import { usualSampling } from "#server/domain/trainers/import/foreignRun.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { checkPlan } from "#server/domain/plan/sweep/plan.ts";

const gradients = ["update/gradientNorm", "update/gradientNormMax"];
const often = ["rollout/successRate", "policy/entropy", "policy/klReference", "loss/total", "time/iterationMs"];
const seldom = ["evaluation/successRate", "evaluation/score", "taskSuccess/easy", "unseenTaskSuccess/hard"];

type Value = { key: string; run: number; iteration: number };

/** Returns an irregular value, sometimes non-finite. Some runs collapse, and some have an infinite gradient. */
function valueOf({ key, run, iteration }: Value): number {
  const rank = [...gradients, ...often, ...seldom].indexOf(key);
  if (gradients.includes(key)) return run % 7 === 3 && iteration === 31 ? Infinity : 1 + ((iteration * run) % 11) / 7;
  if ((iteration * 7 + run * 3 + rank) % 83 === 0) return NaN;
  if (key === "time/iterationMs") return 900 + 10 * run + (iteration % 3);
  const level = 0.35 + 0.02 * (run % 9) + 0.006 * iteration;
  const lost = run % 5 === 2 && iteration > 22 && /success/i.test(key) ? 0.02 : 1;
  return lost * (level + 0.05 * Math.sin(1 + iteration * 0.9 + run * 1.7 + rank));
}

const plans = [
  {
    id: "main",
    name: "Main",
    environments: [{ id: "sokoban" }, { id: "alfworld" }],
    methods: ["grpo", "gspo", "sampo"],
  },
  // This sweep is named like an environment, and one of its settings varies.
  {
    id: "other",
    name: "Sokoban",
    environments: [{ id: "alfworld" }, { id: "sokoban" }],
    methods: ["grpo", "sapo"],
    axes: { "update.epochs": [1, 2] },
  },
];

/** Inserts three sweeps of finished runs; every code version gets the same rows. `arrange` orders them for storage. */
export async function insertProvenStudy(database: Database, arrange: Arrange = (items) => [...items]): Promise<void> {
  for (const study of arrange(listStudies())) await insertStudy(database, study, arrange);
}

type Arrange = <Item>(items: readonly Item[]) => Item[];

function listStudies(): Study[] {
  const planned = plans.map(({ id, ...plan }, i) => {
    const { cells, runs } = expandPlan(checkPlan({ seeds: [0, 1, 2, 3], ...plan }));
    const inserted = cells.map(({ index, method, label, spec }) => ({ index, method, label, spec }));
    return { id, name: plan.name, day: i, cells: inserted, runs };
  });
  const names = ["ours", "theirs"];
  const cells = names.map((method, index) => {
    const environment = { id: index === 0 ? "sokoban" : "Kitchen" };
    const budget = { iterations: 60 };
    const spec = { kind: "imported" as const, environment, method, sampling: usualSampling, budget };
    return { index, method, label: index === 0 ? "Sokoban" : "Kitchen", spec };
  });
  const runs = names.flatMap((_, cellIndex) => [0, 1].map((seed) => ({ cellIndex, seed })));
  return [...planned, { id: "import", name: "Imported", day: 2, cells, runs }];
}

type Study = {
  id: string;
  name: string;
  day: number;
  cells: { index: number; method: string; label: string; spec: Prisma.InputJsonValue }[];
  runs: readonly { cellIndex: number; seed: number }[];
};

async function insertStudy(database: Database, { id, name, day, cells, runs }: Study, arrange: Arrange): Promise<void> {
  const { prisma } = database;
  const createdAt = new Date(Date.UTC(2026, 0, 1 + day));
  await prisma.sweep.create({ data: { id, name, createdAt, plan: {}, planHash: `plan-of-${id}` } });
  const cellIds = new Map<number, number>();
  for (const cell of arrange(cells)) {
    cellIds.set(cell.index, (await prisma.cell.create({ data: { ...cell, sweepId: id, specHash: "" } })).id);
  }
  for (const [i, { cellIndex, seed }] of arrange([...runs.entries()])) {
    const end = ends[(i + day) % 8] ?? { status: "finished", reason: "completed" };
    const runId = `${id}-${cellIndex}-${seed}`;
    const cellId = cellIds.get(cellIndex) ?? -1;
    await prisma.run.create({ data: { id: runId, sweepId: id, cellId, seed, latestIteration: 59, ...end } });
    // One run in eleven never logged a value.
    if ((i + day) % 11 !== 10) await log(database, runId, i + 3 * day);
  }
}

const ends: Readonly<Record<number, { status: string; reason: string }>> = {
  3: { status: "failed", reason: "diverged" },
  5: { status: "cancelled", reason: "stopped_by_rule" },
  6: { status: "failed", reason: "out_of_memory" },
};

async function log({ prisma, pool }: Database, runId: string, run: number): Promise<void> {
  const numLines = 40 + 20 * (run % 2);
  const { id } = await prisma.attempt.create({
    data: { runId, number: 1, jobId: `${runId}.1`, node: "local", folder: "", live: false, numMetricLines: numLines },
  });
  const keysAt = (iteration: number) => [
    ...(iteration > 0 ? [...gradients, ...often] : []),
    ...(iteration % 4 === 0 ? seldom.slice(0, run % 6 === 1 ? 1 : 4) : []),
  ];
  const ids = await makeMetricIds(pool)([...gradients, ...often, ...seldom]);
  const lines = Array.from({ length: numLines }, (_, iteration) => ({
    attemptId: id,
    seq: iteration,
    iteration,
    optimizerStep: iteration,
    atMs: 0,
    metricIds: keysAt(iteration).map((key) => ids.get(key) ?? -1),
    values: keysAt(iteration).map((key) => valueOf({ key, run, iteration })),
  }));
  await inTransaction(pool, (client) => appendPoints(client, lines));
}
