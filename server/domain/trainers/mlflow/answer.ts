import { z } from "zod";
import { toMetricValue } from "#trainer/spec/event.ts";
import { AppError, type AppErrorCode, refuseUnstorable } from "#packages/base";
import { messages } from "./messages.ts";
import { artifactUri, pageOf, searchExperiments, searchRuns } from "./search.ts";
import type { ArtifactEntry, TrackedExperiment, TrackedMetric, TrackedRun, TrackingStore } from "./store.ts";

/** A request of MLflow's tracking protocol: the path below `/api/2.0/mlflow/`, and its body or query. */
export type MlflowRequest = { method: string; path: string; input: unknown };
export type MlflowAnswer = { status: number; body: object };

type Endpoint = (store: TrackingStore, input: unknown) => Promise<object>;

const experimentOf = (input: unknown) => messages.experimentById.parse(input).experiment_id;
const runOf = (input: unknown) => messages.ofRun.parse(input);
const emptyBatch = { metrics: [], params: [], tags: [] };

const endpoints: Readonly<Record<string, Endpoint>> = {
  "GET experiments/get-by-name": async (store, input) => {
    const { experiment_name: name } = messages.experimentByName.parse(input);
    return { experiment: toExperiment(found(await store.findExperiment({ name }), `experiment "${name}"`)) };
  },
  "GET experiments/get": async (store, input) => {
    const id = experimentOf(input);
    return { experiment: toExperiment(found(await store.findExperiment({ id }), `experiment ${id}`)) };
  },
  "POST experiments/search": async (store, input) => {
    const { items, next } = await searchExperiments(store, messages.searchExperiments.parse(input));
    return { experiments: items.map(toExperiment), ...next };
  },
  "POST experiments/create": async (store, input) => {
    const { id } = await store.createExperiment(messages.createExperiment.parse(input));
    return { experiment_id: id };
  },
  "POST experiments/update": async (store, input) => {
    const { experiment_id: id, new_name: name } = messages.renameExperiment.parse(input);
    return await done(store.changeExperiment(id, { name }));
  },
  "POST experiments/delete": (store, input) => done(store.changeExperiment(experimentOf(input), { stage: "deleted" })),
  "POST experiments/restore": (store, input) => done(store.changeExperiment(experimentOf(input), { stage: "active" })),
  "POST experiments/set-experiment-tag": (store, input) =>
    done(store.tagExperiment(experimentOf(input), messages.pair.parse(input))),
  "POST experiments/delete-experiment-tag": (store, input) =>
    done(store.tagExperiment(experimentOf(input), { ...messages.tagName.parse(input), value: undefined })),
  "POST runs/create": async (store, input) => {
    const { experiment_id: experimentId, run_name, start_time, tags } = messages.createRun.parse(input);
    const name = run_name ?? tags.find(({ key }) => key === "mlflow.runName")?.value;
    return { run: toRun(await store.createRun({ experimentId, name, startedAtMs: start_time ?? undefined, tags })) };
  },
  "GET runs/get": async (store, input) => ({ run: toRun(await store.readRun(runOf(input))) }),
  "POST runs/update": async (store, input) => {
    const { status, end_time, run_name } = messages.updateRun.parse(input);
    const change = { status, endedAtMs: end_time ?? undefined, name: run_name };
    return { run_info: toInfo(await store.changeRun(runOf(input), change)) };
  },
  "POST runs/delete": (store, input) => done(store.changeRun(runOf(input), { stage: "deleted" })),
  "POST runs/restore": (store, input) => done(store.changeRun(runOf(input), { stage: "active" })),
  "POST runs/log-metric": (store, input) =>
    done(store.log(runOf(input), { ...emptyBatch, metrics: [messages.metric.parse(input)] })),
  "POST runs/log-parameter": (store, input) =>
    done(store.log(runOf(input), { ...emptyBatch, params: [messages.pair.parse(input)] })),
  "POST runs/set-tag": (store, input) =>
    done(store.log(runOf(input), { ...emptyBatch, tags: [messages.pair.parse(input)] })),
  "POST runs/delete-tag": (store, input) => done(store.deleteTag(runOf(input), messages.tagName.parse(input).key)),
  "POST runs/log-batch": (store, input) => done(store.log(runOf(input), messages.batch.parse(input))),
  "POST runs/log-inputs": async (store, input) => {
    const { datasets } = messages.inputs.parse(input);
    const inputs = datasets.map(({ tags, dataset: { schema, profile, ...dataset } }) => ({
      tags,
      dataset: { ...dataset, ...(schema !== undefined && { schema }), ...(profile !== undefined && { profile }) },
    }));
    return await done(store.logInputs(runOf(input), inputs));
  },
  "POST runs/search": async (store, input) => {
    const { items, next } = await searchRuns(store, messages.searchRuns.parse(input));
    return { runs: items.map(toRun), ...next };
  },
  "GET metrics/get-history": async (store, input) => {
    const { metric_key: key, page_token, max_results } = messages.history.parse(input);
    const history = await store.readHistory(runOf(input), key);
    const { items, next } = pageOf(history, { page_token, max_results: max_results ?? history.length });
    return { metrics: items.map(toMetric), ...next };
  },
  "GET artifacts/list": async (store, input) => {
    const id = runOf(input);
    const files = await store.listArtifacts(id, messages.listArtifacts.parse(input).path);
    return { root_uri: artifactUri(await store.readRun(id)), files: files.map(toFile) };
  },
  // Logged models are not supported, but MLflow's client requests their list whenever it lists artifacts.
  "POST logged-models/search": () => Promise.resolve({ models: [] }),
};

export function onlyReads({ method, path }: Pick<MlflowRequest, "method" | "path">): boolean {
  return method === "GET" || path.endsWith("/search");
}

async function done(work: Promise<unknown>): Promise<object> {
  await work;
  return {};
}

/** Converts an artifact to MLflow's format, in which 64-bit integers are strings. */
export function toFile({ path, isFolder, sizeBytes }: ArtifactEntry) {
  return { path, is_dir: isFolder, ...(!isFolder && { file_size: String(sizeBytes) }) };
}

/** Answers one request of MLflow's tracking protocol; errors have MLflow's format. */
export async function answerMlflow(store: TrackingStore, request: MlflowRequest): Promise<MlflowAnswer> {
  const endpoint = endpoints[`${request.method} ${request.path}`];
  if (!endpoint) {
    const message = `${request.method} ${request.path} is not supported by the studio's tracking server`;
    return refuse(404, "ENDPOINT_NOT_FOUND", message);
  }
  try {
    refuseUnstorable(request.input);
    return { status: 200, body: await endpoint(store, request.input) };
  } catch (error) {
    return refuseFor(error);
  }
}

/** Converts an AppError or a schema's error to MLflow's error response; rethrows any other error. */
export function refuseFor(error: unknown): MlflowAnswer {
  if (error instanceof z.ZodError) return refuse(400, "INVALID_PARAMETER_VALUE", z.prettifyError(error));
  if (error instanceof AppError) return refuse(...codes[error.code], error.message);
  throw error;
}

/** Makes an error response `{"error_code": …, "message": …}`; the exception of MLflow's client shows its message. */
export function refuse(status: number, code: string, message: string): MlflowAnswer {
  return { status, body: { error_code: code, message } };
}

const codes: Record<AppErrorCode, [status: number, code: string]> = {
  bad_input: [400, "INVALID_PARAMETER_VALUE"],
  too_large: [413, "INVALID_PARAMETER_VALUE"],
  not_found: [404, "RESOURCE_DOES_NOT_EXIST"],
  conflict: [400, "RESOURCE_ALREADY_EXISTS"],
  too_many: [429, "REQUEST_LIMIT_EXCEEDED"],
  unavailable: [503, "TEMPORARILY_UNAVAILABLE"],
  internal: [500, "INTERNAL_ERROR"],
};

function found<Found>(value: Found | undefined, what: string): Found {
  if (value === undefined) throw new AppError("not_found", `there is no ${what}`);
  return value;
}

function toExperiment({ id, name, createdAtMs, stage, tags }: TrackedExperiment) {
  return {
    experiment_id: id,
    name,
    artifact_location: `mlflow-artifacts:/${id}`,
    lifecycle_stage: stage,
    tags,
    creation_time: createdAtMs,
    last_update_time: createdAtMs,
  };
}

function toRun(run: TrackedRun) {
  const tags = run.tags.some(({ key }) => key === "mlflow.runName")
    ? run.tags
    : [...run.tags, { key: "mlflow.runName", value: run.name }];
  return {
    info: toInfo(run),
    data: { metrics: run.metrics.map(toMetric), params: run.params, tags },
    inputs: { dataset_inputs: run.inputs },
  };
}

function toInfo(run: TrackedRun) {
  const { id, experimentId, name, status, stage, startedAtMs, endedAtMs } = run;
  return {
    run_id: id,
    run_uuid: id,
    run_name: name,
    experiment_id: experimentId,
    user_id: "",
    status,
    start_time: Math.round(startedAtMs),
    ...(endedAtMs !== undefined && { end_time: Math.round(endedAtMs) }),
    artifact_uri: artifactUri(run),
    lifecycle_stage: stage,
  };
}

function toMetric({ key, value, timestampMs, step }: TrackedMetric) {
  return { key, value: toMetricValue(value), timestamp: Math.round(timestampMs), step };
}
