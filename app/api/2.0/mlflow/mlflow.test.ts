import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSeries } from "#server/db/runs/points.ts";
import { readRun } from "#server/db/runs/runs.ts";
import { listSweeps } from "#server/db/plan/sweeps.ts";
import { createApiToken, revokeApiTokens } from "#server/db/people/apiTokens.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { startServices, stopServices } from "../../testing/services.ts";
import { GET, POST } from "./[...path]/route.ts";

const database = await makeTestDatabase();
const home = await mkdtemp(join(tmpdir(), "arlarena-mlflow-"));
const before = process.env["ARLARENA_HOME"];
let token = "";

const connect = (url: string) => {
  startServices(url);
  globalThis.arlarenaTracking = undefined;
};
/** Simulates a new process: acknowledged data are in files and the database, no data are in memory. */
const replaceProcess = async () => {
  await globalThis.arlarenaTracking?.close();
  globalThis.arlarenaTracking = undefined;
};

beforeAll(async () => {
  process.env["ARLARENA_HOME"] = home;
  connect(database.url);
  token = await createApiToken(database, { name: "test", scopes: ["track"] });
});
afterAll(async () => {
  if (before === undefined) delete process.env["ARLARENA_HOME"];
  else process.env["ARLARENA_HOME"] = before;
  await stopServices();
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

/** Sends a body as text, as a client may write it. */
async function send(path: string, body: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}` };
  const request = new Request(`http://localhost/api/2.0/mlflow/${path}`, { method: "POST", headers, body });
  const response = await POST(request, { params: Promise.resolve({ path: path.split("/") }) });
  return { status: response.status, body: await response.json() };
}

async function createRun(experiment: string, run: string): Promise<string> {
  await ask("POST", "experiments/create", { name: experiment });
  const found = await ask("GET", "experiments/get-by-name", { experiment_name: experiment });
  const { experiment_id } = found.body["experiment"] as unknown as { experiment_id: string };
  const created = await ask("POST", "runs/create", { experiment_id, run_name: run, start_time: 1000, tags: [] });
  return (created.body["run"] as unknown as { info: { run_id: string } }).info.run_id;
}

/** Waits until acknowledged data have reached pages and charts, so that tests need no clock. */
const settled = () => globalThis.arlarenaTracking?.settle();

const point = (key: string, step: number, value: number | string) => ({ key, step, value, timestamp: 2000 + step });

describe("the tracking endpoint", () => {
  it("refuses who has no token, a wrong one or a revoked one, in MLflow's words", async () => {
    const old = await createApiToken(database, { name: "old", scopes: ["track"] });
    await revokeApiTokens(database, { name: "old" });
    expect((await ask("POST", "runs/search", {}, old)).status).toBe(401);
    expect(await ask("POST", "runs/search", {}, "guessed")).toMatchObject({
      status: 401,
      body: { error_code: "UNAUTHENTICATED" },
    });
    expect(await database.prisma.apiToken.count({ where: { tokenHash: token } })).toBe(0);
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
    await replaceProcess();
    await ask("POST", "runs/log-batch", batch);
    await settled();
    const [kl] = await readSeries(database.pool, { runIds: [id], keys: ["policy/klOld"] });
    expect([...(kl?.values ?? [])]).toEqual([0.1, 0.2]);
    expect((await readRun(database, id)).attempts[0]).toMatchObject({ numMetricLines: 2, numRejected: 0 });
  });

  it("answers 503 while the database is away, and stores all of it when the client tries again", async () => {
    const id = await createRun("outage", "grpo_s0");
    const first = { run_id: id, metrics: [point("loss", 1, 1)] };
    await ask("POST", "runs/log-batch", first);
    const second = { run_id: id, metrics: [point("loss", 2, 2)] };
    await stopServices();
    connect("postgresql://nobody@127.0.0.1:1/none");
    expect(await ask("POST", "runs/log-batch", second)).toMatchObject({
      status: 503,
      body: { error_code: "TEMPORARILY_UNAVAILABLE" },
    });
    await stopServices();
    connect(database.url);
    expect((await ask("POST", "runs/log-batch", second)).status).toBe(200);
    await settled();
    const [loss] = await readSeries(database.pool, { runIds: [id], keys: ["loss/total"] });
    expect([...(loss?.values ?? [])]).toEqual([1, 2]);
  });

  it("applies what a crash left in the journal with the next message", async () => {
    const id = await createRun("crash", "grpo_s1");
    await ask("POST", "runs/log-batch", { run_id: id, metrics: [point("loss", 1, 1), point("loss", 2, 2)] });
    await settled();
    // Simulates a process that ended between its writes to the journal and to the database.
    const where = { runId: id };
    const { id: attemptId } = await database.prisma.attempt.findFirstOrThrow({ where });
    await database.prisma.metricRow.deleteMany({ where: { attemptId } });
    const path = join(home, "runs", id, "1", "events.jsonl");
    const started = (await readFile(path, "utf8")).split("\n")[0] ?? "";
    const data = { logOffset: BigInt(started.length + 1), lastSeq: 0, numMetricLines: 0 };
    await database.prisma.attempt.updateMany({ where, data });
    await replaceProcess();
    await ask("POST", "runs/log-batch", { run_id: id, metrics: [point("loss", 2, 2)] });
    await settled();
    const [loss] = await readSeries(database.pool, { runIds: [id], keys: ["loss/total"] });
    expect([...(loss?.values ?? [])]).toEqual([1, 2]);
  });

  it("makes one experiment of a name, however many ask at once", async () => {
    const create = () => ask("POST", "experiments/create", { name: "together" });
    const created = await Promise.all(Array.from({ length: 6 }, create));
    expect(created.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await listSweeps(database)).filter(({ name }) => name === "together")).toHaveLength(1);
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
    expect(await search("loss under 3")).toBe("INVALID_PARAMETER_VALUE");
  });

  it("has experiment 0, Default, for runs that name none", async () => {
    const found = await ask("GET", "experiments/get", { experiment_id: "0" });
    expect(found.body["experiment"]).toMatchObject({ experiment_id: "0", name: "Default", lifecycle_stage: "active" });
    expect((await listSweeps(database)).map(({ id }) => id)).not.toContain("0");
    const create = () => ask("POST", "runs/create", { experiment_id: "0", run_name: "grpo_sokoban", start_time: 1000 });
    const created = await Promise.all([create(), create()]);
    expect(created.map(({ status }) => status)).toEqual([200, 200]);
    const [sweep] = (await listSweeps(database)).filter(({ name }) => name === "Default");
    expect(sweep).toMatchObject({ id: "0", numRuns: 2 });
    const named = await ask("GET", "experiments/get-by-name", { experiment_name: "Default" });
    expect(named.body["experiment"]).toMatchObject({ experiment_id: "0" });
  });

  it("keeps two values of one key at one step and millisecond, and each of them once", async () => {
    const id = await createRun("twice", "grpo_s0");
    const one = point("loss", 1, 1);
    const metrics = [one, { ...one, value: 2 }, { ...one, value: "NaN" }, one, { ...one, timestamp: 1000, step: 0 }];
    await ask("POST", "runs/log-batch", { run_id: id, metrics });
    await replaceProcess();
    await ask("POST", "runs/log-batch", { run_id: id, metrics: [...metrics, { ...one, value: 3 }] });
    const history = async () =>
      (await ask("GET", "metrics/get-history", { run_id: id, metric_key: "loss" })).body["metrics"];
    const values = ((await history()) as unknown as { value: unknown }[]).map(({ value }) => value);
    expect(values).toEqual([1, 2, "NaN", 1, 3]);
    expect((await ask("GET", "runs/get", { run_id: id })).body["run"]).toMatchObject({
      data: { metrics: [{ key: "loss", value: "NaN", step: 1 }] },
    });
  });

  it("says of steps and times that no column takes which are", async () => {
    const id = await createRun("far", "grpo_s0");
    const log = (change: object) => ask("POST", "runs/log-metric", { run_id: id, ...point("a", 1, 1), ...change });
    expect(await log({ step: 2 ** 31 })).toMatchObject({
      status: 400,
      body: { error_code: "INVALID_PARAMETER_VALUE" },
    });
    expect(JSON.stringify((await log({ step: 2 ** 31 })).body)).toContain("the step must be at most 2147483647");
    expect((await log({ timestamp: 9e15 })).status).toBe(400);
    expect((await log({ key: "a\0b" })).status).toBe(400);
    expect((await log({ step: 2 ** 31 - 1 })).status).toBe(200);
    await settled();
    expect((await readRun(database, id)).attempts[0]).toMatchObject({ numMetricLines: 1, numRejected: 0 });
  });

  it("answers for a run from the database: its log is not read again", async () => {
    const id = await createRun("unread", "grpo_s0");
    const metrics = Array.from({ length: 600 }, (_, i) => point("actor/grad_norm", i, i / 7));
    await ask("POST", "runs/log-batch", { run_id: id, metrics: [...metrics, point("timing_s/step", 3, 2.3)] });
    await settled();
    await rm(join(home, "runs", id, "1", "events.jsonl"));
    const { metrics: newest } = (
      (await ask("GET", "runs/get", { run_id: id })).body["run"] as unknown as {
        data: { metrics: unknown };
      }
    ).data;
    expect(newest).toEqual(
      expect.arrayContaining([
        { key: "actor/grad_norm", value: 599 / 7, timestamp: 2599, step: 599 },
        { key: "timing_s/step", value: 2.3, timestamp: 2003, step: 3 },
      ]),
    );
    const input = { run_id: id, metric_key: "actor/grad_norm" };
    const history = (await ask("GET", "metrics/get-history", input)).body["metrics"] as unknown as unknown[];
    expect(history).toHaveLength(600);
    expect(history[5]).toEqual({ key: "actor/grad_norm", value: 5 / 7, timestamp: 2005, step: 5 });
    const page = await ask("GET", "metrics/get-history", { ...input, max_results: "250", page_token: "500" });
    expect(page.body["metrics"]).toHaveLength(100);
  });

  it("deletes, restores and renames experiments and runs, and takes tags away, as MLflow does", async () => {
    const id = await createRun("moving", "grpo_s0");
    const experiment_id = (await readRun(database, id)).sweep.id;
    const status = async (path: string, input: object) => (await ask("POST", path, input)).status;
    expect(await status("runs/set-tag", { run_id: id, key: "note", value: "x" })).toBe(200);
    expect(await status("runs/delete-tag", { run_id: id, key: "note" })).toBe(200);
    expect(await status("runs/delete-tag", { run_id: id, key: "note" })).toBe(404);
    await ask("POST", "experiments/set-experiment-tag", { experiment_id, key: "team", value: "a" });
    expect(await status("experiments/update", { experiment_id, new_name: "moved" })).toBe(200);
    expect(await status("experiments/update", { experiment_id, new_name: "Default" })).toBe(400);
    const search = async (input: object) => {
      const { body } = await ask("POST", "experiments/search", input);
      return (body["experiments"] as unknown as { name: string }[]).map(({ name }) => name);
    };
    expect(await search({ filter: "tags.team = 'a' AND name LIKE 'mov%'" })).toEqual(["moved"]);
    expect((await search({ order_by: ["name DESC"], max_results: 1 }))[0]).toBe("verl_alfworld");
    const runs = async (view: string) => {
      const { body } = await ask("POST", "runs/search", { experiment_ids: [experiment_id], run_view_type: view });
      return (body["runs"] as unknown as unknown[]).length;
    };
    expect(await status("runs/delete", { run_id: id })).toBe(200);
    expect([await runs("ACTIVE_ONLY"), await runs("DELETED_ONLY"), await runs("ALL")]).toEqual([0, 1, 1]);
    expect(await status("runs/log-metric", { run_id: id, ...point("a", 1, 1) })).toBe(400);
    expect(await status("runs/restore", { run_id: id })).toBe(200);
    expect(await status("runs/log-metric", { run_id: id, ...point("a", 1, 1) })).toBe(200);
    expect(await status("experiments/delete", { experiment_id })).toBe(200);
    expect(await search({ filter: "name = 'moved'" })).toEqual([]);
    expect(await search({ filter: "name = 'moved'", view_type: "DELETED_ONLY" })).toEqual(["moved"]);
    expect(await status("runs/create", { experiment_id })).toBe(400);
    expect(await status("experiments/restore", { experiment_id })).toBe(200);
    expect(await runs("ACTIVE_ONLY")).toBe(1);
  });

  it("finds and orders runs by metrics, and tells the data sets they read", async () => {
    const ids = await Promise.all([0, 1, 2].map((seed) => createRun("ordered", `grpo_s${seed}`)));
    const values = [0.5, "NaN", 0.9];
    for (const [i, run_id] of ids.entries()) {
      await ask("POST", "runs/log-metric", { run_id, ...point("reward", 1, values[i] ?? 0) });
    }
    const dataset = { name: "alfworld", digest: "d1", source_type: "local", source: "{}" };
    const tags = [{ key: "mlflow.data.context", value: "train" }];
    await ask("POST", "runs/log-inputs", { run_id: ids[0], datasets: [{ dataset, tags }] });
    const experiment_ids = [(await readRun(database, ids[0] ?? "")).sweep.id];
    const search = async (input: object) => {
      const { body } = await ask("POST", "runs/search", { experiment_ids, ...input });
      return (body["runs"] as unknown as { info: { run_id: string } }[]).map(({ info }) => ids.indexOf(info.run_id));
    };
    expect(await search({ order_by: ["metrics.reward DESC"] })).toEqual([2, 0, 1]);
    expect(await search({ order_by: ["metrics.reward"], max_results: 2 })).toEqual([0, 2]);
    expect(await search({ filter: "metrics.reward > 0.6" })).toEqual([2]);
    expect(await search({ filter: "datasets.context = 'train' and attributes.run_name LIKE 'grpo%'" })).toEqual([0]);
    const got = await ask("GET", "runs/get", { run_id: ids[0] ?? "" });
    expect(got.body["run"]).toMatchObject({ inputs: { dataset_inputs: [{ dataset, tags }] } });
    const refused = await ask("POST", "runs/search", { experiment_ids, filter: `\`${" ".repeat(100_000)}` });
    expect(refused).toMatchObject({ status: 400, body: { error_code: "INVALID_PARAMETER_VALUE" } });
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

  it("reads numbers that are not finite where Python's own JSON has them bare", async () => {
    const run_id = await createRun("bare", "grpo_sokoban_seed0");
    const metrics = `[{"key": "a", "value": NaN, "step": 1, "timestamp": 1}, {"key": "a", "value": -Infinity, "step": 2, "timestamp": 2}]`;
    const answer = await send("runs/log-batch", `{"run_id": "${run_id}", "metrics": ${metrics}}`);
    expect(answer).toEqual({ status: 200, body: {} });
    const { body } = await ask("GET", "metrics/get-history", { run_id, metric_key: "a" });
    expect(body).toMatchObject({ metrics: [{ value: "NaN" }, { value: "-Infinity" }] });
    expect(await send("runs/log-batch", `{"run_id": NaN}`)).toMatchObject({ status: 400 });
    expect(await send("runs/log-batch", `{"run_id": `)).toMatchObject({
      status: 400,
      body: { message: "the message is not valid JSON" },
    });
  });

  it("takes a message of 16 MB, and refuses a longer one with the limit", async () => {
    const run_id = await createRun("long", "grpo_sokoban_seed0");
    const message = JSON.stringify({ run_id, metrics: [point("a", 1, 2)] });
    const padded = message.padEnd(16 * 1024 * 1024, " ");
    expect(await send("runs/log-batch", padded)).toEqual({ status: 200, body: {} });
    expect(await send("runs/log-batch", `${padded} `)).toEqual({
      status: 413,
      body: { error_code: "INVALID_PARAMETER_VALUE", message: "16.0 MB were sent, the limit is 16 MB" },
    });
    const { body } = await ask("GET", "runs/get", { run_id });
    expect(body).toMatchObject({ run: { data: { metrics: [{ key: "a", value: 2 }] } } });
  });

  it("notes once on a run that its success is in per cent, while it streams in", async () => {
    const run_id = await createRun("per cent", "grpo_sokoban_seed0");
    const key = "episode/success_rate";
    await ask("POST", "runs/log-batch", { run_id, metrics: [point(key, 1, 0.5), point(key, 2, 41)] });
    await ask("POST", "runs/log-batch", { run_id, metrics: [point(key, 3, 43)] });
    await settled();
    const { rows } = await database.pool.query<{ text: string }>(
      "SELECT text FROM status_event WHERE run_id = $1 AND reason = 'reading'",
      [run_id],
    );
    expect(rows.map(({ text }) => text)).toEqual([expect.stringContaining(`${key} was 41 at step 2: rules read it`)]);
  });

  it("refuses another value of a parameter that was set", async () => {
    const id = await createRun("params", "grpo");
    const set = (value: string) => ask("POST", "runs/log-parameter", { run_id: id, key: "lr", value });
    expect([(await set("1")).status, (await set("1")).status, (await set("2")).status]).toEqual([200, 200, 400]);
  });
});
