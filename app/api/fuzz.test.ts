import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { hostile, insides, spoil } from "#server/api/testing/hostile.ts";
import { inBoth, isSoak } from "#server/testing/soak.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { createApiToken } from "#server/db/people/apiTokens.ts";
import { split } from "#trainer/spec/rng.ts";
import { origin, startSession } from "./testing/requests.ts";
import { startServices, stopServices } from "./testing/services.ts";
import * as anything from "./[...path]/route.ts";
import * as mlflow from "./2.0/mlflow/[...path]/route.ts";
import * as artifacts from "./2.0/mlflow-artifacts/artifacts/[[...path]]/route.ts";
import * as imports from "./import/route.ts";
import * as runTable from "./run-table/route.ts";
import * as runArtifacts from "./runs/[runId]/artifacts/[...path]/route.ts";
import * as runFiles from "./runs/[runId]/files/[name]/route.ts";
import * as signIn from "./sign-in/route.ts";
import * as trpc from "./trpc/[trpc]/route.ts";

/**
 * Fuzzes every route with hostile paths, queries, headers and bodies: each response is a refusal in our own words or a
 * success, never a server error. Inputs are sampled from a seed: FUZZ_SEED=2 tries different inputs.
 */
const seed = Number(process.env["FUZZ_SEED"] ?? 1);
const rng = split(seed, "fuzz", "routes");
const pick = <Item>(items: readonly Item[]): Item => items[rng.int(items.length)] as Item;

const database = await makeTestDatabase();
const home = await mkdtemp(join(tmpdir(), "arlarena-fuzz-"));
let token = "";
let cookie = "";
let runId = "";
let experimentId = "";

beforeAll(async () => {
  vi.stubEnv("ARLARENA_HOME", home);
  startServices(database.url);
  token = await createApiToken(database, { name: "test", scopes: ["track"] });
  cookie = await startSession(database, null);
  const Experiment = z.object({ experiment_id: z.string() });
  const Created = z.object({ run: z.object({ info: z.object({ run_id: z.string() }) }) });
  const experiment = await mlflowPost("experiments/create", JSON.stringify({ name: "fuzz" }));
  experimentId = Experiment.parse(JSON.parse(experiment.text)).experiment_id;
  const run = await mlflowPost("runs/create", JSON.stringify({ experiment_id: experimentId, start_time: 1 }));
  runId = Created.parse(JSON.parse(run.text)).run.info.run_id;
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await stopServices();
  await database.close();
  await rm(home, { recursive: true, force: true });
});

type Sent = { status: number; text: string };
type Handler = { answer(request: Request, props: { params: Promise<object> }): Response | Promise<Response> };
/** Handlers are methods, whose parameters are bivariant: each route has different names in `params`. */
type Route = Partial<Record<"GET" | "POST" | "PUT" | "DELETE" | "PATCH", Handler["answer"]>>;
type Asked = { method: keyof Route; path: string; params?: object; body?: BodyInit; headers?: Record<string, string> };

async function ask(route: Route, { method, path, params = {}, body, headers = {} }: Asked): Promise<Sent> {
  const request = new Request(`${origin}${path}`, {
    method,
    headers: { host: "localhost:4000", origin, cookie, authorization: `Bearer ${token}`, ...headers },
    ...(body !== undefined && { body }),
  });
  const response = await route[method]?.(request, { params: Promise.resolve(params) });
  if (response === undefined) throw new Error(`${path} has no ${method}`);
  // An event stream has no end.
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  if (isStream) await response.body?.cancel();
  return { status: response.status, text: isStream ? "" : await response.text() };
}

const mlflowPost = (path: string, body: BodyInit) => {
  const params = { path: path.split("/") };
  return ask(mlflow, { method: "POST", path: `/api/2.0/mlflow/${path}`, params, body });
};

/** Returns the fault of a response, else undefined. `field` is the name that a refusal of the input must contain. */
function faultOf({ status, text }: Sent, field?: string): string | undefined {
  const said = `${status} ${text.slice(0, 300)}`;
  if (status >= 500) return said;
  if (status >= 400 && insides.test(text)) return said;
  // For "parameter", the error may say "params". For an existing object, the error names the object, whatever the field
  // is.
  const isNamed = field === undefined || text.includes(field.replace(/s$/, "")) || /EXISTS|cannot become/.test(text);
  if (status === 400 && !isNamed) return `${said} does not name ${field}`;
  return status >= 400 && text.length < 3 ? `${said} says nothing` : undefined;
}

const pair = { key: "a", value: "b" };
const metric = { key: "a", value: 1, timestamp: 1, step: 1 };
const page = { max_results: 5, page_token: "0", filter: "", order_by: ["start_time"] };
/** Valid messages of a client, by endpoint; ids are filled in. */
const messagesOf = (): Record<string, Record<string, unknown>> => ({
  "experiments/search": { ...page, order_by: ["name"], view_type: "ALL" },
  "experiments/create": { name: "other", tags: [pair], artifact_location: "" },
  "experiments/update": { experiment_id: experimentId, new_name: "fuzz" },
  "experiments/delete": { experiment_id: "none" },
  "experiments/restore": { experiment_id: experimentId },
  "experiments/set-experiment-tag": { experiment_id: experimentId, ...pair },
  "experiments/delete-experiment-tag": { experiment_id: experimentId, key: "a" },
  "runs/create": { experiment_id: experimentId, run_name: "a", start_time: 1, tags: [pair] },
  "runs/update": { run_id: runId, status: "RUNNING", end_time: 1, run_name: "a" },
  "runs/delete": { run_id: "none" },
  "runs/restore": { run_id: runId },
  "runs/log-metric": { run_id: runId, ...metric },
  "runs/log-parameter": { run_id: runId, ...pair },
  "runs/set-tag": { run_id: runId, ...pair },
  "runs/delete-tag": { run_id: runId, key: "a" },
  "runs/log-batch": { run_id: runId, metrics: [metric], params: [pair], tags: [pair] },
  "runs/log-inputs": { run_id: runId, datasets: [{ tags: [pair], dataset: { name: "a", digest: "b" } }], models: [] },
  "runs/search": { ...page, experiment_ids: [experimentId], run_view_type: "ALL" },
});
const queriesOf = (): Record<string, Record<string, string>> => ({
  "experiments/get": { experiment_id: experimentId },
  "experiments/get-by-name": { experiment_name: "fuzz" },
  "runs/get": { run_id: runId },
  "metrics/get-history": { run_id: runId, metric_key: "a", max_results: "5", page_token: "0" },
  "artifacts/list": { run_id: runId, path: "" },
});

/** Bytes that are not valid messages. */
const rawBodies = [
  "",
  "{",
  "null",
  "[]",
  "1",
  '"a"',
  "\ufffe",
  new Uint8Array([0xff, 0xfe, 0x00]),
  "[".repeat(100_000),
];

test(
  `MLflow's messages with a field made hostile are refused by its name (seed ${seed})`,
  { tags: inBoth },
  async () => {
    const faults: unknown[] = [];
    for (const [path, message] of Object.entries(messagesOf())) {
      const spoilt = Object.entries(message).flatMap(([field, inside]) =>
        hostile.flatMap((value) =>
          [...spoil(inside, value, { maxDepth: 3 })].map((one) => ({ field, message: { ...message, [field]: one } })),
        ),
      );
      for (let i = 0; i < (isSoak ? 40 : 8); i++) {
        const { field, message: input } = pick(spoilt);
        const fault = faultOf(await mlflowPost(path, JSON.stringify(input)), field);
        if (fault !== undefined) faults.push([path, JSON.stringify(input).slice(0, 200), fault]);
      }
      const fault = faultOf(await mlflowPost(path, pick(rawBodies)));
      if (fault !== undefined) faults.push([path, "raw", fault]);
    }
    expect(faults).toEqual([]);
  },
);

/** Hostile names as they may occur in a path or query: percent-encoded, some incorrectly. */
const hostileTexts = hostile.filter((value): value is string => typeof value === "string" && value.length < 5000);
const segments = [
  ...hostileTexts.filter((text) => text !== "\ud800").map(encodeURIComponent),
  "%ED%A0%80",
  "%00",
  "%ff",
  "%zz",
  "..%2f..%2fetc%2fpasswd",
  "x".repeat(5000),
  "a b",
  "%F0%9F%92%A5",
];

test(`MLflow's queries and paths made hostile are refused (seed ${seed})`, async () => {
  const faults: unknown[] = [];
  const note = (what: string, sent: Sent, field?: string) => {
    const fault = faultOf(sent, field);
    if (fault !== undefined) faults.push([what.slice(0, 200), fault]);
  };
  for (const [path, query] of Object.entries(queriesOf())) {
    const params = { path: path.split("/") };
    for (const field of Object.keys(query)) {
      for (const text of hostileTexts) {
        const asked = `/api/2.0/mlflow/${path}?${new URLSearchParams({ ...query, [field]: text })}`;
        note(asked, await ask(mlflow, { method: "GET", path: asked, params }), field);
      }
    }
  }
  for (const segment of segments) {
    const path = `/api/2.0/mlflow/${segment}`;
    note(path, await ask(mlflow, { method: "GET", path, params: { path: [segment] } }));
    for (const method of ["GET", "PUT", "DELETE"] as const) {
      const inside = pick([
        [segment],
        ["0", segment, "artifacts", "a"],
        ["0", runId, "artifacts", segment],
        ["0", runId, segment, "a"],
      ]);
      const asked = `/api/2.0/mlflow-artifacts/artifacts/${inside.join("/")}`;
      const body = method === "PUT" ? { body: "content" } : {};
      note(`${method} ${asked}`, await ask(artifacts, { method, path: asked, params: { path: inside }, ...body }));
    }
    const listed = `/api/2.0/mlflow-artifacts/artifacts?path=${segment}`;
    note(listed, await ask(artifacts, { method: "GET", path: listed, params: {} }));
  }
  expect(faults).toEqual([]);
});

test(`downloads, sign-in and addresses that nothing answers, made hostile, are refused (seed ${seed})`, async () => {
  const faults: unknown[] = [];
  const note = (what: string, sent: Sent) => {
    const fault = faultOf(sent);
    if (fault !== undefined) faults.push([what.slice(0, 200), fault]);
  };
  for (const [i, segment] of segments.entries()) {
    const [run, name] = [pick([segment, runId]), pick([segment, "events.jsonl"])];
    const file = `/api/runs/${run}/files/${name}`;
    note(file, await ask(runFiles, { method: "GET", path: file, params: { runId: run, name } }));
    const artifact = `/api/runs/${run}/artifacts/${name}`;
    note(artifact, await ask(runArtifacts, { method: "GET", path: artifact, params: { runId: run, path: [name] } }));
    const other = `/api/${segment}`;
    note(other, await ask(anything, { method: "PUT", path: other, params: { path: [segment] } }));
    const procedure = pick([segment, "sweep.list", "sweep.get", `${segment},sweep.list`]);
    const input = pick([`?input=${segment}`, `?batch=1&input=${segment}`, "?batch=1", `?input={"json":${segment}}`]);
    const asked = `/api/trpc/${procedure}${input}`;
    note(asked, await ask(trpc, { method: pick(["GET", "POST"]), path: asked, params: { trpc: procedure } }));
    const table = `ids=${pick([segment, runId])}&columns=${pick([segment, "method"])}&format=${pick(["csv", segment])}`;
    note(table, await ask(runTable, { method: "POST", path: "/api/run-table", body: table }));
    // Each attempt has an address of its own, because refusals after ten attempts are delayed.
    const form = `token=${segment}&next=${segment}`;
    const headers = {
      "x-arlarena-address": `10.9.0.${i}`,
      "content-type": pick(["application/x-www-form-urlencoded", "text/plain", '"', "multipart/form-data"]),
    };
    note(form, await ask(signIn, { method: "POST", path: "/api/sign-in", body: form, headers }));
  }
  for (const body of rawBodies) {
    const headers = { "content-type": "application/json" };
    note("trpc, raw", await ask(trpc, { method: "POST", path: "/api/trpc/sweep.launch", params: {}, body, headers }));
  }
  expect(faults).toEqual([]);
});

test(`forms for imports made hostile are refused (seed ${seed})`, async () => {
  const faults: unknown[] = [];
  const send = async (what: string, body: BodyInit, headers: Record<string, string> = {}) => {
    const fault = faultOf(await ask(imports, { method: "POST", path: "/api/import", body, headers }));
    if (fault !== undefined) faults.push([what, fault]);
  };
  const form = (name: string, content: BlobPart, fields: Record<string, string> = {}): FormData => {
    const filled = new FormData();
    filled.append("files", new File([content], name));
    for (const [key, value] of Object.entries(fields)) filled.append(key, value);
    return filled;
  };
  for (const text of hostileTexts) {
    const field = pick(["seed", "preview"]);
    await send(`${field}: ${text.slice(0, 40)}`, form("a.jsonl", "none", { [field]: text }));
  }
  for (const type of [
    "multipart/form-data",
    "multipart/form-data; boundary=",
    'multipart/form-data; boundary="',
    "a/b",
  ]) {
    await send(type, pick(rawBodies), { "content-type": type });
  }
  // Valid beginnings followed by random bytes; a separate process reads each file.
  const noise = Uint8Array.from({ length: 4000 }, () => rng.int(256));
  const contents: [string, BlobPart[]][] = [
    ["events.out.tfevents.1", [noise]],
    ["run.wandb", [":W&B", noise]],
    ["trainer_state.json", ['{"log_history": [{"step": 1e400, "loss": {}}, null, 3, [', "[".repeat(10_000)]],
    ["history.csv", ['"Step","a\0b"\n1,2\n2,"\n']],
    ["grpo_s1.jsonl", ['{"step": -1, "loss": 1e999}\n{"step": 1e300, "loss": "NaN"}\n{"__proto__": 1}\n', noise]],
  ];
  // Each file needs a process, so only two are tried at a time.
  for (const [name, parts] of [pick(contents), pick(contents)]) {
    await send(name, form(name, new Blob(parts), { preview: "yes" }));
  }
  expect(faults).toEqual([]);
});
