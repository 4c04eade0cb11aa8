import { z } from "zod";
import { toMetricValue } from "#trainer/spec/event.ts";
import { AppError, type AppErrorCode } from "../errors.ts";
import { messages } from "./messages.ts";
import type { TrackedExperiment, TrackedMetric, TrackedRun, TrackingStore } from "./store.ts";

/** A request of the tracking protocol: the path below `/api/2.0/mlflow/`, and what body or query say. */
export type MlflowRequest = { method: string; path: string; input: unknown };
export type MlflowAnswer = { status: number; body: object };

type Endpoint = (store: TrackingStore, input: unknown) => Promise<object>;

const endpoints: Readonly<Record<string, Endpoint>> = {
  "GET experiments/get-by-name": async (store, input) => {
    const { experiment_name: name } = messages.experimentByName.parse(input);
    return { experiment: toExperiment(found(await store.findExperiment({ name }), `experiment "${name}"`)) };
  },
  "GET experiments/get": async (store, input) => {
    const { experiment_id: id } = messages.experimentById.parse(input);
    return { experiment: toExperiment(found(await store.findExperiment({ id }), `experiment ${id}`)) };
  },
  "POST experiments/search": async (store) => ({ experiments: (await store.listExperiments()).map(toExperiment) }),
  "POST experiments/create": async (store, input) => {
    const { id } = await store.createExperiment(messages.createExperiment.parse(input).name);
    return { experiment_id: id };
  },
  "POST runs/create": async (store, input) => {
    const { experiment_id: experimentId, run_name, start_time, tags } = messages.createRun.parse(input);
    const name = run_name ?? tags.find(({ key }) => key === "mlflow.runName")?.value;
    return { run: toRun(await store.createRun({ experimentId, name, startedAtMs: start_time ?? undefined, tags })) };
  },
  "GET runs/get": async (store, input) => ({ run: toRun(await store.readRun(messages.ofRun.parse(input))) }),
  "POST runs/update": async (store, input) => {
    const { status, end_time, run_name } = messages.updateRun.parse(input);
    const change = { status, endedAtMs: end_time ?? undefined, name: run_name };
    return { run_info: toInfo(await store.changeRun(messages.ofRun.parse(input), change)) };
  },
  "POST runs/log-metric": async (store, input) => {
    await store.log(messages.ofRun.parse(input), { metrics: [messages.metric.parse(input)], params: [], tags: [] });
    return {};
  },
  "POST runs/log-parameter": async (store, input) => {
    await store.log(messages.ofRun.parse(input), { metrics: [], params: [messages.pair.parse(input)], tags: [] });
    return {};
  },
  "POST runs/set-tag": async (store, input) => {
    await store.log(messages.ofRun.parse(input), { metrics: [], params: [], tags: [messages.pair.parse(input)] });
    return {};
  },
  "POST runs/log-batch": async (store, input) => {
    await store.log(messages.ofRun.parse(input), messages.batch.parse(input));
    return {};
  },
  "POST runs/search": async (store, input) => {
    const { experiment_ids, filter, max_results, page_token } = messages.search.parse(input);
    const runs = (await store.listRuns(experiment_ids)).filter(matcherOf(filter));
    const from = Number(page_token ?? 0);
    const page = runs.slice(from, from + max_results);
    const rest = from + page.length < runs.length ? { next_page_token: String(from + page.length) } : {};
    return { runs: page.map(toRun), ...rest };
  },
  "GET metrics/get-history": async (store, input) => {
    const { metric_key: key } = messages.history.parse(input);
    return { metrics: (await store.readHistory(messages.ofRun.parse(input), key)).map(toMetric) };
  },
};

/** Answers one request, in MLflow's own error form where it must refuse. */
export async function answerMlflow(store: TrackingStore, request: MlflowRequest): Promise<MlflowAnswer> {
  const endpoint = endpoints[`${request.method} ${request.path}`];
  if (!endpoint) {
    return refuse(404, "ENDPOINT_NOT_FOUND", `${request.method} ${request.path} is no part of the tracking done here`);
  }
  try {
    return { status: 200, body: await endpoint(store, request.input) };
  } catch (error) {
    if (error instanceof z.ZodError) return refuse(400, "INVALID_PARAMETER_VALUE", z.prettifyError(error));
    if (error instanceof AppError) return refuse(...codes[error.code], error.message);
    throw error;
  }
}

/** `{"error_code": …, "message": …}`, what the client's exception shows. */
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

/** Of MLflow's filter language: equalities joined by AND, of tags, params, and the run's name, status and id. */
function matcherOf(filter: string): (run: TrackedRun) => boolean {
  if (filter.trim() === "") return () => true;
  const tests = filter.split(/\s+and\s+/i).map((text) => {
    const pattern = /^\s*(?:(\w+)\.)?[`"]?([\w.:/ -]+?)[`"]?\s*(!?=)\s*['"]([^'"]*)['"]\s*$/;
    const [, group = "attributes", key = "", sign, wanted] = pattern.exec(text) ?? [];
    if (sign === undefined) {
      throw new AppError("bad_input", `filter "${text}": equalities joined by AND are understood here`);
    }
    return (run: TrackedRun) => (valueOf(run, group, key) === wanted) === (sign === "=");
  });
  return (run) => tests.every((test) => test(run));
}

function valueOf(run: TrackedRun, group: string, key: string): string | undefined {
  switch (group.replace(/s$/, "")) {
    case "tag":
      return run.tags.find((tag) => tag.key === key)?.value;
    case "param":
    case "parameter":
      return run.params.find((param) => param.key === key)?.value;
    case "attribute":
    case "attr":
    case "run":
      return { run_name: run.name, "run name": run.name, status: run.status, run_id: run.id }[key];
    default:
      throw new AppError("bad_input", `filter on "${group}": tags, params and attributes are understood here`);
  }
}

function toExperiment({ id, name, createdAtMs }: TrackedExperiment) {
  const times = { creation_time: createdAtMs, last_update_time: createdAtMs };
  return { experiment_id: id, name, artifact_location: artifacts(id), lifecycle_stage: "active", ...times };
}

function toRun(run: TrackedRun) {
  const tags = run.tags.some(({ key }) => key === "mlflow.runName")
    ? run.tags
    : [...run.tags, { key: "mlflow.runName", value: run.name }];
  return {
    info: toInfo(run),
    data: { metrics: run.metrics.map(toMetric), params: run.params, tags },
    inputs: { dataset_inputs: [] },
  };
}

function toInfo({ id, experimentId, name, status, startedAtMs, endedAtMs }: TrackedRun) {
  return {
    run_id: id,
    run_uuid: id,
    run_name: name,
    experiment_id: experimentId,
    user_id: "",
    status,
    start_time: Math.round(startedAtMs),
    ...(endedAtMs !== undefined && { end_time: Math.round(endedAtMs) }),
    artifact_uri: artifacts(`${experimentId}/${id}`),
    lifecycle_stage: "active",
  };
}

function toMetric({ key, value, timestampMs, step }: TrackedMetric) {
  return { key, value: toMetricValue(value), timestamp: Math.round(timestampMs), step };
}

// Artifacts are not kept here: a client that writes some writes them into its own working folder.
function artifacts(path: string): string {
  return `mlartifacts/${path}`;
}
