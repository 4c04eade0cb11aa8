import { afterAll, beforeAll, expect, it } from "vitest";
import { readOpenRuns } from "#server/db/fleet/decisions.ts";
import { inTransaction } from "#server/db/storage/inTransaction.ts";
import { appendPoints, makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { insertAttempt } from "#server/db/testing/insertRun.ts";
import { readCharts } from "../runs/keptCharts.ts";
import { makeNotifications, type Notifications } from "#server/db/storage/notifications.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { parsePlan, SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import { CellSpec, RunSpec } from "#trainer/spec/run.ts";
import { createCaller } from "../root.ts";
import { askForEvaluations } from "../runs/evaluations.ts";
import { makeAnalystHere } from "../testing/analystHere.ts";

let database: TestDatabase;
let notifications: Notifications;
let caller: ReturnType<typeof createCaller>;
let origin: string;

beforeAll(async () => {
  database = await makeTestDatabase();
  notifications = makeNotifications(database.url);
  caller = createCaller({
    database,
    notifications,
    analyst: makeAnalystHere(database),
    caller: { kind: "session", isSameOrigin: true, person: null },
  });
  const plan = { name: "first", methods: ["cispo"], environments: [{ id: "sokoban" }], seeds: [3] };
  const { id } = await caller.sweep.create(SweepPlan.parse({ ...plan, base: { budget: { iterations: 40 } } }));
  origin = (await runsOf(id))[0] ?? "";
});
afterAll(async () => {
  await notifications.close();
  await database.close();
});

const runsOf = async (sweepId: string): Promise<string[]> =>
  (await caller.run.grid({ sweepIds: [sweepId] })).runs.map(({ id }) => id).toSorted();

const specsOf = async (sweepId: string): Promise<CellSpec[]> => {
  const cells = await database.prisma.cell.findMany({ where: { sweepId }, orderBy: { index: "asc" } });
  return cells.map(({ spec }) => CellSpec.parse(spec));
};

it("branches have their run's settings and its specification, except the changes", async () => {
  const changes = { "optimizer.learningRate": [3e-4, 6e-5] };
  const { id } = await caller.sweep.branch({ run: origin, iteration: 12, continuations: 2, changes });
  const [stored] = await specsOf(origin.replace(/-c0-s3$/, ""));
  const spec = RunSpec.parse({ ...stored, v: 1, seed: 3 });
  const specs = await specsOf(id);
  expect(specs.map(({ optimizer }) => optimizer.learningRate)).toEqual([3e-4, 6e-5]);
  for (const own of specs) {
    expect(own).toEqual({
      ...stored,
      optimizer: own.optimizer,
      initialisation: { kind: "branch", run: origin, iteration: 12, origin: spec },
    });
  }
  expect(await runsOf(id)).toHaveLength(4);
  // A part of the method that the origin lacks is added.
  const masked = { "method.clipping.sequenceMask.delta": [0.003], "update.klCoef": [0.05] };
  const { id: other } = await caller.sweep.branch({ run: origin, iteration: 12, changes: masked });
  expect((await specsOf(other))[0]).toMatchObject({
    method: { clipping: { kind: "cispo", sequenceMask: { delta: 0.003 } } },
    update: { klCoef: 0.05 },
  });
  // All continuations share the origin's state, which is being created; the queue lets other runs start first.
  const waiting = await readOpenRuns(database, { isRoom: true });
  const starts = waiting.filter(({ sweepId }) => sweepId === id).map(({ start }) => start);
  expect(new Set(starts).size).toBe(1);
  expect(starts[0]).not.toBeNull();
});

it("a plan only names the run, and a branch of a branch contains its whole line", async () => {
  const named = { kind: "branch", run: origin, iteration: 10 } as const;
  const base = { initialisation: named, budget: { iterations: 30 } };
  const plan = SweepPlan.parse({ name: "b", methods: ["gspo"], environments: [{ id: "sokoban" }], seeds: [1], base });
  const { id } = await caller.sweep.create(plan);
  const [middle = ""] = await runsOf(id);
  const changes = { "initialisation.reference": ["origin"] };
  const { id: last } = await caller.sweep.branch({ run: middle, iteration: 20, kind: "run", changes });
  expect((await specsOf(last))[0]?.initialisation).toMatchObject({
    kind: "run",
    reference: "origin",
    origin: { seed: 1, initialisation: { kind: "branch", run: origin, origin: { seed: 3 } } },
  });
  const family = await caller.run.family({ id: middle });
  expect(family.map(({ from }) => from)).toEqual([null, origin, origin, origin, origin, origin, origin, middle]);
  expect(family.at(-1)).toMatchObject({ kind: "run", iteration: 20, seed: 0 });
  const view = { columns: ["from"], order: [], offset: 0, limit: 100 };
  const { rows } = await caller.runTable.rows({ ...view, filter: `from:${middle}` });
  expect(rows.map((row) => row.id)).toEqual([`${last}-c0-s0`]);
});

it("charts of a branch begin with its origin's curve", async () => {
  const { id } = await caller.sweep.branch({ run: origin, iteration: 2 });
  const listed = (await caller.sweep.list()).find((sweep) => sweep.id === id);
  const sweepId = origin.replace(/-c0-s3$/, "");
  expect(listed?.branchedFrom).toMatchObject({ runId: origin, sweepId, sweepName: "first" });
  const [branch = ""] = await runsOf(id);
  const { id: second } = await caller.sweep.branch({ run: branch, iteration: 3 });
  const [last = ""] = await runsOf(second);
  const logPoints = async (runId: string, iterations: number[], value: number): Promise<void> => {
    const attemptId = await insertAttempt(database, runId, 1);
    const ids = await makeMetricIds(database.pool)(["evaluation/successRate"]);
    const metricIds = [ids.get("evaluation/successRate") ?? 0];
    const lines = iterations.map((iteration, seq) => {
      return { attemptId, seq, iteration, optimizerStep: iteration, atMs: seq, metricIds, values: [value] };
    });
    await inTransaction(database.pool, (client) => appendPoints(client, lines));
    const counted = { lastSeq: lines.length - 1, numMetricLines: lines.length };
    await database.prisma.attempt.update({ where: { id: attemptId }, data: counted });
  };
  await logPoints(origin, [0, 1, 2, 3], 0.1);
  await logPoints(branch, [3, 4], 0.5);
  await logPoints(last, [4], 0.9);
  const key = "evaluation/successRate";
  const options = { aggregate: "median", seeds: true, maxPoints: 240, range: null } as const;
  const { charts } = await readCharts(database, { scope: { runId: last }, keys: [key], options });
  const line = charts[0]?.lines[0];
  expect([...(line?.iterations ?? [])]).toEqual([0, 1, 2, 3, 4]);
  expect([...(line?.values ?? [])]).toEqual([0.1, 0.1, 0.1, 0.5, 0.9]);
});

it("refuses with the field and the remedy", async () => {
  const refused = (iteration: number, changes = {}) => caller.sweep.branch({ run: origin, iteration, changes });
  await expect(refused(41)).rejects.toThrow(`is 41, must be at most 40, the number of iterations of ${origin}`);
  await expect(refused(40)).rejects.toThrow(
    "the branch ends at iteration 40, must end after iteration 40: its origin's iterations count as well",
  );
  await expect(refused(4, { "policy.size": ["micro"] })).rejects.toThrow(
    /the policy of .* has "nano": set it to "nano"/,
  );
  await expect(caller.sweep.branch({ run: "nobody", iteration: 1 })).rejects.toThrow("there is no run nobody");
});

it("a rescue is a sweep of branches for each iteration, counted before it is launched", async () => {
  const asked = { run: origin, iterations: [10, 30], continuations: 2 };
  const { numRuns, numIterations } = await caller.sweep.rescueSize(asked);
  expect(numIterations).toBe((numRuns / 2) * (30 + 10));
  const { ids } = await caller.sweep.rescue(asked);
  expect((await Promise.all(ids.map(runsOf))).flat()).toHaveLength(numRuns);
  await expect(caller.sweep.rescueSize({ ...asked, iterations: [41] })).rejects.toThrow("is 41, must be at most 40");
  const answer = await caller.stability.rescue({ runId: origin });
  expect(answer).toMatchObject({ iterations: [], latest: [], runs: [] });
  expect(answer.numOpen).toBeGreaterThanOrEqual(numRuns);
});

it("a rescue has only the chosen changes, and its size lists those that can be chosen", async () => {
  const asked = { run: origin, iterations: [10], continuations: 2 };
  const { arms, numRuns } = await caller.sweep.rescueSize(asked);
  expect(numRuns).toBe(2 * (1 + arms.length));
  expect(arms).toContainEqual({ name: "learningRate", title: "learning rate ÷ 5", effect: "3e-4 → 6e-5" });
  const chosen = { ...asked, arms: ["learningRate" as const, "mask" as const] };
  expect(await caller.sweep.rescueSize(chosen)).toEqual({ numRuns: 6, numIterations: 6 * 30, arms, refused: [] });
  const { ids } = await caller.sweep.rescue({ ...chosen, numRuns: 6 });
  expect((await Promise.all(ids.map(runsOf))).flat()).toHaveLength(6);
});

it("refuses a plan that names one run and includes the specification of another", async () => {
  const { id } = await caller.sweep.branch({ run: origin, iteration: 12 });
  const [branch = ""] = await runsOf(id);
  const file = (await caller.sweep.file({ id })) ?? "";
  const plan = parsePlan(file);
  // The file as exported launches again, and so does that of a run which is not in this studio.
  await caller.sweep.create(plan);
  await caller.sweep.create(parsePlan(file.replace(`run: ${origin}`, "run: elsewhere-c0-s3")));
  const numBefore = (await caller.sweep.list()).length;
  const edited = parsePlan(file.replace(`run: ${origin}`, `run: ${branch}`));
  const refused = `base.initialisation.origin: is the specification of ${origin}, but base.initialisation.run names ${branch} (different: initialisation, seed); remove origin to begin from ${branch}`;
  await expect(caller.sweep.create(edited)).rejects.toThrow(refused);
  await expect(caller.sweep.preview(edited)).rejects.toThrow(refused);
  const unknown = parsePlan(file.replace("seed: 3", "seed: 4"));
  await expect(caller.sweep.create(unknown)).rejects.toThrow(
    `is the specification of another run, but base.initialisation.run names ${origin} (different: seed)`,
  );
  expect(await caller.sweep.list()).toHaveLength(numBefore);
});

it("refuses iterations that an ended run never reached", async () => {
  const plan = { name: "ended", methods: ["cispo"], environments: [{ id: "sokoban" }], seeds: [0] };
  const { id } = await caller.sweep.create(SweepPlan.parse({ ...plan, base: { budget: { iterations: 40 } } }));
  const [run = ""] = await runsOf(id);
  await database.prisma.run.update({ where: { id: run }, data: { status: "cancelled", latestIteration: 7 } });
  const refused = `initialisation.iteration: is 8, must be at most 7: ${run} ended (cancelled) after iteration 7`;
  await expect(caller.sweep.branch({ run, iteration: 8 })).rejects.toThrow(refused);
  await expect(caller.sweep.branch({ run, iteration: 8, kind: "run" })).rejects.toThrow(refused);
  await expect(caller.sweep.rescue({ run, iterations: [7, 8] })).rejects.toThrow(refused);
  expect(await runsOf((await caller.sweep.branch({ run, iteration: 7 })).id)).toHaveLength(1);
});

it("refuses an environment whose words the origin's policy does not know, at its field", async () => {
  const initialisation = { kind: "branch", run: origin, iteration: 12 };
  const planOf = (elsewhere: object[], environment = "sokoban") =>
    SweepPlan.parse({
      name: "words",
      methods: ["cispo"],
      environments: [{ id: environment }],
      seeds: [0],
      base: { initialisation, budget: { iterations: 40 }, evaluation: { elsewhere } },
    });
  const larger = { name: "larger", environment: { id: "sokoban", size: 7 } };
  const shop = { environment: { id: "webshop" } };
  await caller.sweep.create(planOf([larger]));
  await expect(caller.sweep.create(planOf([larger, shop]))).rejects.toThrow(
    new RegExp(
      `evaluation\\.elsewhere\\[1\\]\\.environment: the vocabulary of ${origin} lacks .+ and \\d+ more; train`,
    ),
  );
});

it("refuses to evaluate in two environments of one name", async () => {
  const environments = "[{ environment: { id: sokoban } }, { environment: { id: sokoban, size: 7 } }]";
  await expect(
    askForEvaluations(database, { runIds: [origin], environments, iterations: [null], by: null }),
  ).rejects.toThrow('environments[1].name: "sokoban" is already the name of environments[0]: choose another name');
});
