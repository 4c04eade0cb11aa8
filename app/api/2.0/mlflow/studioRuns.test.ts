import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createApiToken } from "#server/db/people/apiTokens.ts";
import { readSeries } from "#server/db/runs/points.ts";
import { summariseRuns } from "#server/db/runs/runSummaries.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { importStudy } from "#server/engine/studies/importStudy.ts";
import { startServices, stopServices } from "../../testing/services.ts";
import { serveRoutes } from "./testing/serveRoutes.ts";

/** Tests that runs of the studio's own trainers can be read as MLflow runs; needs a Python command. */
const python = process.env["ARLARENA_MLFLOW_PYTHON"];
const database = await makeTestDatabase();
const home = await mkdtemp(join(tmpdir(), "arlarena-mlflow-studio-"));
const served = await serveRoutes();
const success = "evaluation/successRate";
let token = "";
let sweep = { id: "", name: "" };

beforeAll(async () => {
  vi.stubEnv("ARLARENA_HOME", home);
  startServices(database.url);
  token = await createApiToken(database, { name: "analyst", scopes: ["read"] });
  const study = await importStudy(database, home, "studies/laboratory/screen-methods-lag-16.arlarena");
  const [first] = study.sweeps;
  if (!first) throw new Error("the study has no sweep");
  sweep = { id: first.id, name: first.name };
  while (await summariseRuns(database.pool, 100));
});
afterAll(async () => {
  served.close();
  vi.unstubAllEnvs();
  await stopServices();
  await database.close();
  await rm(home, { recursive: true, force: true });
});

type Found = {
  info: { run_id: string; status: string };
  data: { metrics: { key: string; value: number }[]; params: { key: string; value: string }[] };
};

async function ask(method: "GET" | "POST", path: string, input: Record<string, unknown>) {
  const query = method === "GET" ? `?${new URLSearchParams(input as Record<string, string>)}` : "";
  const body = method === "POST" ? { body: JSON.stringify(input) } : {};
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${served.url}/api/2.0/mlflow/${path}${query}`, { method, headers, ...body });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test("sweeps are experiments, their runs are found by settings and ordered by metrics", async () => {
  const experiment = await ask("GET", "experiments/get-by-name", { experiment_name: sweep.name });
  expect(experiment.body).toMatchObject({ experiment: { experiment_id: sweep.id, lifecycle_stage: "active" } });
  const { body } = await ask("POST", "runs/search", {
    experiment_ids: [sweep.id],
    filter: "params.method = 'CISPO' and params.rollout.lag.k = '16'",
    order_by: [`metrics.\`${success}\` DESC`],
  });
  const runs = body["runs"] as Found[];
  const values = runs.map(({ data }) => data.metrics.find(({ key }) => key === success)?.value ?? NaN);
  expect(runs).toHaveLength(4);
  expect(values).toEqual(values.toSorted((a, b) => b - a));
  const series = await readSeries(database.pool, { runIds: runs.map(({ info }) => info.run_id), keys: [success] });
  expect(values).toEqual(series.map((one) => one.values.at(-1)));
});

test("a history is the curve that the pages draw", async () => {
  const [run] = await database.prisma.run.findMany({ select: { id: true }, orderBy: { id: "asc" }, take: 1 });
  const runId = run?.id ?? "";
  const { body } = await ask("GET", "metrics/get-history", { run_id: runId, metric_key: "mismatch/k3" });
  const [series] = await readSeries(database.pool, { runIds: [runId], keys: ["mismatch/k3"] });
  const history = body["metrics"] as { step: number; value: number }[];
  expect(history.map(({ step }) => step)).toEqual([...(series?.iterations ?? [])]);
  expect(history.map(({ value }) => value)).toEqual([...(series?.values ?? [])]);
  expect(history.length).toBeGreaterThan(50);
});

test("nothing is written to them, neither by a token that reads nor by one that tracks", async () => {
  const [run] = await database.prisma.run.findMany({ select: { id: true }, take: 1 });
  const run_id = run?.id ?? "";
  const writes: [path: string, input: object][] = [
    ["runs/log-metric", { run_id, key: "a", value: 1, step: 1, timestamp: 1 }],
    ["runs/set-tag", { run_id, key: "a", value: "b" }],
    ["runs/update", { run_id, status: "FAILED" }],
    ["runs/delete", { run_id }],
    ["runs/create", { experiment_id: sweep.id }],
    ["experiments/update", { experiment_id: sweep.id, new_name: "mine" }],
    ["experiments/delete", { experiment_id: sweep.id }],
  ];
  const reader = token;
  const tracker = await createApiToken(database, { name: "trainer", scopes: ["track"] });
  for (const [path, input] of writes) {
    token = reader;
    expect([path, (await ask("POST", path, { ...input })).status]).toEqual([path, 403]);
    token = tracker;
    expect([path, (await ask("POST", path, { ...input })).status]).toEqual([path, 404]);
  }
  token = reader;
  expect(await database.prisma.sweep.findUnique({ where: { id: sweep.id } })).toMatchObject({ name: sweep.name });
  expect(await database.prisma.run.count({ where: { status: "failed" } })).toBe(0);
});

test.skipIf(!python)(
  "Python's MLflow client reads them as a data frame (skipped unless ARLARENA_MLFLOW_PYTHON names a Python that has mlflow and pandas)",
  async () => {
    const script = join(import.meta.dirname, "testing/reader.py");
    const env = { ...process.env, MLFLOW_TRACKING_TOKEN: token, MLFLOW_HTTP_REQUEST_MAX_RETRIES: "1" };
    const { stdout } = await promisify(execFile)(python ?? "", [script, served.url, sweep.name], { env });
    const read = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as {
      shape: [number, number];
      methods: string[];
      order: number[];
      lag: string;
      run: string;
      steps: number[];
      values: number[];
      artifacts: string[];
    };
    console.log(`search_runs: ${read.shape.join(" runs × ")} columns`);
    expect(read).toMatchObject({ methods: ["Bypass PG", "CISPO"], lag: "16", artifacts: ["events.jsonl"] });
    expect(read.shape[0]).toBe(await database.prisma.run.count());
    expect(read.order).toEqual(read.order.toSorted((a, b) => b - a));
    const [series] = await readSeries(database.pool, { runIds: [read.run], keys: [success] });
    expect(read.steps).toEqual([...(series?.iterations ?? [])]);
    expect(read.values).toEqual([...(series?.values ?? [])]);
  },
);
