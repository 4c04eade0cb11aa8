import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { insertAttempt, insertSweep } from "#server/db/testing/insertRun.ts";
import { readNodes } from "#server/db/fleet/nodes.ts";
import { readQueue } from "#server/db/fleet/queue.ts";
import { cancelEvaluations, type OpenEvaluation, readEvaluations } from "#server/db/runs/evaluations.ts";
import { askForEvaluations } from "#server/api/runs/evaluations.ts";
import { thisMachine } from "#server/domain/fleet/nodes/node.ts";
import { createSweep } from "#server/db/plan/sweeps.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { cancelEvaluationsOf } from "#server/cli/fleet/cancel.ts";
import { evaluateRuns } from "#server/cli/runs/evaluate.ts";
import { makeLocalLauncher } from "#server/engine/launchers/local.ts";
import { Elsewhere } from "#trainer/spec/elsewhere.ts";
import { placeEvaluations } from "./evaluateStored.ts";
import { orchestrate } from "./orchestrate.ts";

const database = await makeTestDatabase();
const home = await mkdtemp(join(tmpdir(), "arlarena-evaluating-"));
let ended: Promise<void>[] = [];
let stop = new AbortController();

/**
 * Stands in for the trainer: its result depends on the room's size, as in `trainer/run/elsewhere.test.ts`. With rooms
 * of size 10 it waits for a file, and with rooms of size 5 it is killed.
 */
const script = `
const { existsSync, readFileSync } = await import("node:fs");
const [option, path] = process.argv.slice(2);
const { spec, evaluation, iteration, folders } = JSON.parse(readFileSync(path, "utf8"));
const { size } = evaluation.environment;
if (option !== "--evaluate" || folders.length !== 1) throw new Error("not asked as agreed");
if (size === 9) { console.error("arlarena-evaluated: the policy has no words for a ninth row"); process.exit(1); }
if (size === 10) while (!existsSync("${home}/gate")) await new Promise((resolve) => setTimeout(resolve, 10));
if (size === 5) process.kill(process.pid, "SIGKILL");
const result = { successRate: size / 10 + spec.seed / 100, turns: 3, iteration: iteration ?? 48, policySha256: "ab".repeat(32) };
console.log("arlarena-evaluated: " + JSON.stringify(result));
`;

/** Starts an orchestrator with two slots on this machine. */
function start(): void {
  const command = [process.execPath, join(home, "trainer.mjs")];
  const launcher = makeLocalLauncher({ runsFolder: join(home, "runs"), command });
  const settings = { databaseUrl: database.url, tickMs: 20, log: () => {} };
  ended = [orchestrate({ ...settings, nodes: [{ node: thisMachine(2), launcher }] }, stop.signal)];
}

async function halt(): Promise<void> {
  stop.abort();
  await Promise.all(ended);
  stop = new AbortController();
}

const ask = (evaluations: string, runId = "r0") =>
  askForEvaluations(database, { runIds: [runId], environments: evaluations, iterations: [null], by: null });
const read = async (ids: readonly number[]) => readEvaluations(database, { ids });
const untilAll = (ids: readonly number[], state: string) =>
  expect.poll(async () => (await read(ids)).map((one) => one.state)).toEqual(ids.map(() => state));

beforeAll(async () => {
  await insertSweep(database, "rooms", ["r0", "r1"]);
  await insertAttempt(database, "r0", 1);
  await database.prisma.attempt.updateMany({ data: { live: false, node: "local" } });
  await database.prisma.run.updateMany({ data: { status: "finished" } });
  await writeFile(join(home, "trainer.mjs"), script);
  await mkdir(join(home, "runs/r0/1"), { recursive: true });
});
afterEach(halt);
afterAll(async () => {
  await database.close();
  await rm(home, { recursive: true });
});

test("evaluations of a finished run are kept with the policy's hash", async () => {
  start();
  const text =
    "- { name: seven, environment: { id: sokoban, size: 7 } }\n- { environment: { id: sokoban, size: 9 } }\n";
  const asked = { runIds: ["r0"], text, iterations: [null, 0] };
  const { exitCode, text: shown } = await evaluateRuns(database, asked, 20);
  expect(exitCode).toBe(1);
  expect(shown.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["RUN", "IN", "ITERATION", "SUCCESS %", "TURNS", "POLICY"],
    ["r0", "seven", "48", "70.0", "3.0", "abababababab"],
    ["r0", "seven", "0", "70.0", "3.0", "abababababab"],
    ["r0", "sokoban", "last", "the policy has no words for a ninth row"],
    ["r0", "sokoban", "0", "the policy has no words for a ninth row"],
  ]);
  const kept = await readEvaluations(database, { runIds: ["r0"] });
  expect(kept.map(({ state, askedBy }) => `${state} ${askedBy}`)).toEqual([
    "done command line",
    "done command line",
    "failed command line",
    "failed command line",
  ]);
});

test("they are jobs: as many at once as there are slots, counted in the fleet and the queue", async () => {
  start();
  const sizes = ["one", "two", "three"].map((name) => `- { name: ${name}, environment: { id: sokoban, size: 10 } }`);
  const ids = await ask(sizes.join("\n"));
  const states = async () => (await read(ids)).map(({ state, node }) => `${state} ${node}`);
  await expect.poll(states).toEqual(["running local", "running local", "waiting null"]);
  expect((await readNodes(database))[0]?.leases).toMatchObject([
    { runId: "r0", evaluation: "one", devices: ["0"] },
    { runId: "r0", evaluation: "two", devices: ["1"] },
  ]);
  expect(await readQueue(database)).toMatchObject([
    { sweepId: "rooms", numPending: 0, numEvaluating: 2, numToEvaluate: 1 },
  ]);
  // A run gets no slot that an evaluation leases.
  await insertSweep(database, "later", ["late"]);
  const beat = async () => (await database.prisma.orchestratorHeartbeat.findFirst())?.at.getTime() ?? 0;
  for (let i = 0; i < 2; i++) {
    const last = await beat();
    await expect.poll(beat).toBeGreaterThan(last);
  }
  expect(await database.prisma.attempt.count({ where: { runId: "late" } })).toBe(0);
  await database.prisma.sweep.update({ where: { id: "later" }, data: { intent: "cancel" } });

  // Jobs outlive the orchestrator, and the next orchestrator reads their results.
  await halt();
  const before = await database.prisma.storedEvaluation.findMany({ where: { id: { in: ids }, state: "running" } });
  await writeFile(join(home, "gate"), "");
  start();
  await untilAll(ids, "done");
  const after = await database.prisma.storedEvaluation.findMany({ where: { id: { in: ids } }, orderBy: { id: "asc" } });
  expect(after.slice(0, 2).map(({ jobId, tries }) => [jobId, tries])).toEqual(before.map(({ jobId }) => [jobId, 1]));
});

test("one whose job is killed is repeated, and fails after the third time with a reason", async () => {
  start();
  const ids = await ask("{ id: sokoban, size: 5 }");
  await untilAll(ids, "failed");
  expect((await read(ids))[0]?.problem).toMatch(/^its job ended without a result: exit code 137;.*tried 3 times$/);
});

test("cancelled ones end their jobs, give back their slots and may be requested again", async () => {
  await rm(join(home, "gate"), { force: true });
  start();
  const sizes = ["first", "second", "third", "fourth"].map(
    (name) => `- { name: ${name}, environment: { id: sokoban, size: 10 } }`,
  );
  const ids = await ask(sizes.join("\n"));
  const states = async () => (await read(ids)).map(({ state }) => state);
  await expect.poll(states).toEqual(["running", "running", "waiting", "waiting"]);
  expect(await cancelEvaluations(database, { ids: [ids[0] ?? 0, ids[3] ?? 0] })).toBe(2);
  await expect.poll(states).toEqual(["cancelled", "running", "running", "cancelled"]);
  expect((await read(ids))[0]).toMatchObject({ problem: null, note: null, result: null });
  expect(await cancelEvaluations(database, { ids })).toBe(2);
  await untilAll(ids, "cancelled");
  expect((await readNodes(database))[0]?.leases).toEqual([]);
  expect(await cancelEvaluations(database, { runIds: ["r0"] })).toBe(0);

  const again = await ask(sizes[0] ?? "");
  expect(ids).not.toContain(again[0]);
  expect((await cancelEvaluationsOf(database, "rooms")).text).toBe("1 evaluation cancelled");
  await untilAll(again, "cancelled");
  const waiting = evaluateRuns(database, { runIds: ["r0"], text: sizes[1] ?? "", iterations: [null] }, 20);
  await expect.poll(() => cancelEvaluations(database, { runIds: ["r0"] })).toBe(1);
  expect(await waiting).toMatchObject({ exitCode: 1, text: expect.stringMatching(/second +last +cancelled/) });
});

test("what is done is not done again; what failed is", async () => {
  start();
  const six = await ask("{ id: sokoban, size: 6 }");
  expect(await ask("{ id: sokoban, size: 6 }")).toEqual(six);
  await untilAll(six, "done");
  const nine = await ask("{ id: sokoban, size: 9 }");
  await untilAll(nine, "failed");
  expect(await ask("{ id: sokoban, size: 9 }")).not.toEqual(nine);
});

test("of a sweep all runs that are over are evaluated", async () => {
  const environments = "{ id: sokoban, size: 6 }";
  const askAll = (sweepIds: string[]) =>
    askForEvaluations(database, { runIds: [], sweepIds, environments, iterations: [null], by: null });
  const [one] = await ask("{ id: sokoban, size: 6 }");
  const asked = await askAll(["rooms"]);
  expect(asked).toContain(one);
  expect(asked).toHaveLength(2);
  // Policies of other trainers are left out if a chosen sweep has other policies, and refused if it has none.
  const other = parsePlan(
    "name: Other\nmethods: [grpo]\nenvironments: [{ id: sokoban }]\nbase: { trainer: { name: verl, options: {} } }\nseeds: [0]\n",
  );
  const sweepId = await createSweep(database, { plan: other, expansion: expandPlan(other) });
  await database.prisma.run.updateMany({ where: { sweepId }, data: { status: "finished" } });
  expect(await askAll(["rooms", sweepId])).toEqual(asked);
  await expect(askAll([sweepId])).rejects.toThrow('was trained by "verl"');
  await expect(askAll(["no-such-sweep"])).rejects.toMatchObject({
    issues: [{ path: "runIds", message: "no run of no-such-sweep has ended" }],
  });
});

test("a run that has not ended and a file that is no list of environments are refused", async () => {
  await insertSweep(database, "open", ["r2"]);
  const refused = (runId: string, text: string) =>
    evaluateRuns(database, { runIds: [runId], text, iterations: [null] }, 20);
  await expect(refused("r2", "{ id: sokoban }")).rejects.toThrow("run r2 has not ended yet");
  await expect(refused("r0", "{ id: sokobam }")).rejects.toMatchObject({
    issues: [{ path: "[0].environment.id", message: 'unknown value "sokobam"; did you mean "sokoban"?' }],
  });
  await expect(refused("r0", "[")).rejects.toMatchObject({ code: "bad_input" });
});

test("an evaluation goes to the node with the policy, else to this machine", () => {
  const offer = { labels: [], priority: 0, per: "core" as const, slots: ["0"], free: ["0"], isReachable: true };
  const offers = ["here", "there", "cluster", "ray"].map((name) => ({ ...offer, name }));
  const kinds = new Map([
    ["here", "local" as const],
    ["there", "ssh" as const],
    ["cluster", "slurm" as const],
    ["ray", "ray" as const],
  ]);
  const of = (id: number, nodes: string[]): OpenEvaluation => ({
    id,
    nodes,
    runId: `r${id}`,
    iteration: null,
    note: null,
    tries: 0,
    jobId: null,
    node: null,
    devices: [],
    startedAtMs: null,
    cancelAt: null,
    evaluation: Elsewhere.parse({ environment: { id: "sokoban" } }),
  });
  const placed = (nodes: string[][], at = offers) =>
    placeEvaluations(
      nodes.map((each, id) => of(id, each)),
      at,
      kinds,
    ).map(({ one, lease }) => `${one.id} ${lease.node}`);
  expect(placed([["there"], ["cluster"], ["ray"]])).toEqual(["0 there", "1 cluster", "2 here"]);
  // This machine has one slot, and the first evaluation's run left its files on two nodes.
  expect(placed([["there", "cluster"], ["gone"]])).toEqual(["0 here"]);
  expect(
    placed(
      [["there"]],
      offers.map((one) => ({ ...one, isReachable: one.name !== "there" })),
    ),
  ).toEqual(["0 here"]);
});
