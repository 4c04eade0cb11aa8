import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeDatabase } from "#server/db/client.ts";
import { makeNotifications } from "#server/db/notifications.ts";
import { readSeries } from "#server/db/points.ts";
import { readRun } from "#server/db/runs.ts";
import { listSweeps } from "#server/db/sweeps.ts";
import { createTrackingToken, revokeTrackingTokens } from "#server/db/trackingTokens.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { GET, POST } from "./[...path]/route.ts";

const database = await makeTestDatabase();
const home = await mkdtemp(join(tmpdir(), "arlarena-mlflow-"));
const before = process.env["ARLARENA_HOME"];
let token = "";

const connect = (url: string) => {
  globalThis.arlarenaServices = { database: makeDatabase(url), notifications: makeNotifications(url) };
  globalThis.arlarenaTracking = undefined;
};
const disconnect = async () => {
  await globalThis.arlarenaServices?.database.close();
  globalThis.arlarenaServices = undefined;
};

beforeAll(async () => {
  process.env["ARLARENA_HOME"] = home;
  connect(database.url);
  token = await createTrackingToken(database, "test");
});
afterAll(async () => {
  if (before === undefined) delete process.env["ARLARENA_HOME"];
  else process.env["ARLARENA_HOME"] = before;
  await disconnect();
  await database.close();
  await rm(home, { recursive: true, force: true });
});

type Answer = { status: number; body: Record<string, never> };

async function ask(method: "GET" | "POST", path: string, input: object, bearer = token): Promise<Answer> {
  const [name = "", query = ""] = path.split("?");
  const url = `http://localhost/api/2.0/mlflow/${name}${method === "GET" ? `?${new URLSearchParams({ ...input })}` : query}`;
  const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
  const body = method === "POST" ? { body: JSON.stringify(input) } : {};
  const handler = method === "GET" ? GET : POST;
  const response = await handler(new Request(url, { method, headers, ...body }), {
    params: Promise.resolve({ path: name.split("/") }),
  });
  return { status: response.status, body: await response.json() };
}

async function createRun(experiment: string, run: string): Promise<string> {
  await ask("POST", "experiments/create", { name: experiment });
  const found = await ask("GET", "experiments/get-by-name", { experiment_name: experiment });
  const { experiment_id } = found.body["experiment"] as unknown as { experiment_id: string };
  const created = await ask("POST", "runs/create", { experiment_id, run_name: run, start_time: 1000, tags: [] });
  return (created.body["run"] as unknown as { info: { run_id: string } }).info.run_id;
}

const point = (key: string, step: number, value: number | string) => ({ key, step, value, timestamp: 2000 + step });

describe("the tracking endpoint", () => {
  it("refuses who has no token, a wrong one or a revoked one, in MLflow's words", async () => {
    const old = await createTrackingToken(database, "old");
    await revokeTrackingTokens(database, "old");
    expect((await ask("POST", "runs/search", {}, old)).status).toBe(401);
    expect(await ask("POST", "runs/search", {}, "guessed")).toMatchObject({
      status: 401,
      body: { error_code: "UNAUTHENTICATED" },
    });
    expect(await database.prisma.trackingToken.count({ where: { tokenHash: token } })).toBe(0);
  });

  it("stores a run as a run of a sweep: metrics, parameters, tags and its end", async () => {
    const id = await createRun("verl_alfworld", "grpo_alfworld_seed4");
    const metrics = [point("episode/success_rate", 1, 0.25), point("actor/grad_norm", 1, "NaN"), point("mine", 1, 3)];
    const params = [{ key: "actor.lr", value: "1e-6" }];
    expect(await ask("POST", "runs/log-batch", { run_id: id, metrics, params })).toEqual({ status: 200, body: {} });
    await ask("POST", "runs/log-metric", { run_id: id, ...point("episode/success_rate", 2, 0.5), timestamp: "2002" });
    await ask("POST", "runs/set-tag", { run_id: id, key: "note", value: "warm" });
    await ask("POST", "runs/update", { run_id: id, status: "FINISHED", end_time: 9000 });

    const run = await readRun(database, id);
    expect(run).toMatchObject({ seed: 4, status: "finished", latestIteration: 2, sweep: { name: "verl_alfworld" } });
    expect(run.cell).toMatchObject({ method: "GRPO" });
    expect(run.originals).toEqual({
      "rollout/successRate": "episode/success_rate",
      "update/gradientNorm": "actor/grad_norm",
    });
    expect(run.tracked).toContainEqual({ kind: "param", key: "actor.lr", value: "1e-6" });
    expect(run.attempts[0]?.done).toMatchObject({ exit: "completed", numMetricLines: 2 });
    const [success] = await readSeries(database.pool, { runIds: [id], keys: ["rollout/successRate"] });
    expect([...(success?.values ?? [])]).toEqual([0.25, 0.5]);

    const got = await ask("GET", "runs/get", { run_id: id });
    expect(got.body["run"]).toMatchObject({
      info: { status: "FINISHED", start_time: 1000, end_time: 9000 },
      data: { metrics: expect.arrayContaining([{ key: "actor/grad_norm", value: "NaN", timestamp: 2001, step: 1 }]) },
    });
    const history = await ask("GET", "metrics/get-history", { run_id: id, metric_key: "episode/success_rate" });
    expect(history.body["metrics"]).toHaveLength(2);
  });

  it("counts what is sent again once, also after the process was replaced", async () => {
    const id = await createRun("again", "cispo_s0");
    const batch = { run_id: id, metrics: [point("actor/ppo_kl", 1, 0.1), point("actor/ppo_kl", 2, 0.2)] };
    await Promise.all([ask("POST", "runs/log-batch", batch), ask("POST", "runs/log-batch", batch)]);
    globalThis.arlarenaTracking = undefined;
    await ask("POST", "runs/log-batch", batch);
    const [kl] = await readSeries(database.pool, { runIds: [id], keys: ["policy/klOld"] });
    expect([...(kl?.values ?? [])]).toEqual([0.1, 0.2]);
    expect((await readRun(database, id)).attempts[0]).toMatchObject({ numMetricLines: 2, numRejected: 0 });
  });

  it("answers 503 while the database is away, and stores all of it when the client tries again", async () => {
    const id = await createRun("outage", "grpo_s0");
    const first = { run_id: id, metrics: [point("loss", 1, 1)] };
    await ask("POST", "runs/log-batch", first);
    const second = { run_id: id, metrics: [point("loss", 2, 2)] };
    await disconnect();
    connect("postgresql://nobody@127.0.0.1:1/none");
    expect(await ask("POST", "runs/log-batch", second)).toMatchObject({
      status: 503,
      body: { error_code: "TEMPORARILY_UNAVAILABLE" },
    });
    await disconnect();
    connect(database.url);
    expect((await ask("POST", "runs/log-batch", second)).status).toBe(200);
    const [loss] = await readSeries(database.pool, { runIds: [id], keys: ["loss/total"] });
    expect([...(loss?.values ?? [])]).toEqual([1, 2]);
  });

  it("applies what a crash left in the journal with the next message", async () => {
    const id = await createRun("crash", "grpo_s1");
    await ask("POST", "runs/log-batch", { run_id: id, metrics: [point("loss", 1, 1), point("loss", 2, 2)] });
    // As if the process had ended between journal and database.
    const where = { runId: id };
    const { id: attemptId } = await database.prisma.attempt.findFirstOrThrow({ where });
    await database.prisma.metricRow.deleteMany({ where: { attemptId } });
    const path = join(home, "runs", id, "1", "events.jsonl");
    const started = (await readFile(path, "utf8")).split("\n")[0] ?? "";
    const data = { logOffset: BigInt(started.length + 1), lastSeq: 0, numMetricLines: 0 };
    await database.prisma.attempt.updateMany({ where, data });
    globalThis.arlarenaTracking = undefined;
    await ask("POST", "runs/log-batch", { run_id: id, metrics: [point("loss", 2, 2)] });
    const [loss] = await readSeries(database.pool, { runIds: [id], keys: ["loss/total"] });
    expect([...(loss?.values ?? [])]).toEqual([1, 2]);
  });

  it("gives runs of one name seeds of their own, however many begin at once", async () => {
    await createRun("crowd", "grpo");
    const ids = await Promise.all([1, 2, 3, 4].map(() => createRun("crowd", "grpo")));
    expect(new Set(ids).size).toBe(4);
    const [sweep] = (await listSweeps(database)).filter(({ name }) => name === "crowd");
    expect(sweep).toMatchObject({ numCells: 1, numRuns: 5, origin: "tracking" });
  });

  it("finds runs by equalities", async () => {
    const id = await createRun("found", "gspo_s7");
    const { experimentId } = { experimentId: (await readRun(database, id)).sweep.id };
    const search = async (filter: string) => {
      const { status, body } = await ask("POST", "runs/search", { experiment_ids: [experimentId], filter });
      return status === 200 ? (body["runs"] as unknown as unknown[]).length : body["error_code"];
    };
    expect(await search("attributes.run_name = 'gspo_s7'")).toBe(1);
    expect(await search("tags.`mlflow.runName` != 'gspo_s7'")).toBe(0);
    expect(await search("metrics.loss < 3")).toBe("INVALID_PARAMETER_VALUE");
  });

  it.each([
    ["GET", "experiments/get-by-name", { experiment_name: "none" }, 404, "RESOURCE_DOES_NOT_EXIST"],
    ["POST", "experiments/create", { name: "verl_alfworld" }, 400, "RESOURCE_ALREADY_EXISTS"],
    ["POST", "runs/create", { experiment_id: "none" }, 404, "RESOURCE_DOES_NOT_EXIST"],
    ["POST", "runs/log-metric", { run_id: "none", ...point("a", 1, 1) }, 404, "RESOURCE_DOES_NOT_EXIST"],
    ["POST", "runs/log-metric", { ...point("a", 1, 1) }, 400, "INVALID_PARAMETER_VALUE"],
    ["POST", "runs/log-metric", { run_id: "x", ...point("a", -1, 1) }, 400, "INVALID_PARAMETER_VALUE"],
    ["POST", "runs/log-metric", { run_id: "x", key: "a", value: "many" }, 400, "INVALID_PARAMETER_VALUE"],
    ["POST", "model-versions/create", {}, 404, "ENDPOINT_NOT_FOUND"],
  ] as const)("refuses %s %s %j as MLflow does", async (method, path, input, status, code) => {
    expect(await ask(method, path, input)).toMatchObject({ status, body: { error_code: code } });
  });

  it("refuses another value of a parameter that was set", async () => {
    const id = await createRun("params", "grpo");
    const set = (value: string) => ask("POST", "runs/log-parameter", { run_id: id, key: "lr", value });
    expect([(await set("1")).status, (await set("1")).status, (await set("2")).status]).toEqual([200, 200, 400]);
  });
});
