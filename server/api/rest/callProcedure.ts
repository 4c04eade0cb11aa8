import { TRPCError } from "@trpc/server";
import { getHTTPStatusCodeFromError } from "@trpc/server/http";
import { AppError, type InputIssue } from "#packages/base";
import { refuseCaller } from "../people/caller.ts";
import type { Context } from "../trpc.ts";
import { httpStatuses, toProblem } from "../problem.ts";
import { createCaller } from "../root.ts";
import { restProcedures, type RestProcedure, isText, propertiesOf, type JsonSchema } from "./procedures.ts";

export type RestRequest = {
  method: string;
  path: string;
  search: URLSearchParams;
  /** Body of a POST; "" if there is no body. */
  body: string;
  /** Aborted when the client has disconnected. */
  signal?: AbortSignal;
};
export type RestAnswer = { status: number; body: unknown; headers?: Record<string, string> };

/** Calls the procedure that the web pages use. Details of an unexpected failure are not revealed. */
export async function callProcedure(context: Context, request: RestRequest): Promise<RestAnswer> {
  const { caller } = context;
  if (caller.kind === "stranger") return refuse(401, caller.reason ?? "Sign in first");
  const procedure = restProcedures.get(request.path);
  const moved = movedPaths[request.path];
  if (!procedure && moved !== undefined) {
    const location = `/api/v1/${moved}${request.search.size > 0 ? `?${request.search.toString()}` : ""}`;
    return { ...refuse(308, `moved to ${moved}`), headers: { location } };
  }
  if (!procedure) return refuse(404, "there is nothing at this address; /schema/openapi.json lists all addresses");
  if (procedure.method !== request.method) {
    const answer = refuse(405, `${request.path} is called with ${procedure.method}, not ${request.method}`);
    return { ...answer, headers: { allow: procedure.method } };
  }
  // Access is checked before the input is parsed, so that callers without access learn nothing about the input.
  const refusal = refuseCaller(caller, { access: procedure.access, isChange: procedure.method === "POST" });
  if (refusal) return refuse(refusal.status, refusal.message);
  try {
    return await answer(context, procedure, request);
  } catch (error) {
    return toRefusal(error);
  }
}

/** Current paths of procedures that moved in this version, by old path. The next version no longer redirects. */
const movedPaths: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    "answering blind climbs equivalence forecast hazards phases survival transfer"
      .split(" ")
      .map((name) => [`stability/${name}`, `analysis/${name}`]),
  ),
  "stability/effects": "analysis/dimensions",
  "stability/findings": "analysis/claims",
  "stability/rescues": "analysis/rescue",
  "stability/overview": "stability/runs",
  "audit/entries": "changes/list",
  "nodes/queue": "queue/list",
  "nodes/prioritise": "queue/prioritise",
  "run/samples": "run/episodes",
  "run/sample": "run/episode",
};

async function answer(context: Context, procedure: RestProcedure, request: RestRequest): Promise<RestAnswer> {
  const { values, paging } =
    request.method === "GET"
      ? readParameters(procedure.input, request.search)
      : { values: readBody(request.body), paging: { limit: undefined, offset: 0 } };
  const input = procedure.input === undefined ? refuseInput(values) : values;
  const result = toPlain(await findProcedure(context, procedure.name, request.signal)(input));
  return cut(result, paging, request);
}

function readBody(text: string): unknown {
  if (text === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError("bad_input", "the body is not valid JSON");
  }
}

/** Throws `bad_input` if a value is sent to a procedure without input. */
function refuseInput(values: unknown): undefined {
  const [name] = typeof values === "object" && values !== null ? Object.keys(values) : ["body"];
  if (name !== undefined) throw new AppError("bad_input", `${name}: unknown parameter; this procedure takes none`);
  return undefined;
}

type Call = (input: unknown) => Promise<unknown>;

function findProcedure(context: Context, name: string, signal: AbortSignal | undefined): Call {
  let found: unknown = createCaller(context, signal && { signal });
  for (const part of name.split(".")) found = (found as Record<string, unknown>)[part];
  return found as Call;
}

/** Returns the requested range of a list, with the list's length and the URL of the next range (RFC 8288). */
function cut(result: unknown, { limit, offset }: Paging, { path, search }: RestRequest): RestAnswer {
  if (!Array.isArray(result)) {
    if (limit === undefined && offset === 0) return { status: 200, body: result ?? null };
    throw new AppError("bad_input", "limit, offset: the answer is not a list, so remove these parameters");
  }
  const end = limit === undefined ? result.length : Math.min(offset + limit, result.length);
  const headers: Record<string, string> = { "x-total-count": String(result.length) };
  if (end < result.length) {
    const next = new URLSearchParams(search);
    next.set("offset", String(end));
    headers["link"] = `</api/v1/${path}?${next}>; rel="next"`;
  }
  return { status: 200, body: result.slice(offset, end), headers };
}

function refuse(status: number, problem: string, issues: readonly InputIssue[] = []): RestAnswer {
  return { status, body: { problem, ...(issues.length > 0 && { issues }) } };
}

function toRefusal(error: unknown): RestAnswer {
  const cause = error instanceof TRPCError ? (error.cause ?? error) : error;
  const { code, message, issues } = toProblem(cause);
  if (code !== "internal") return refuse(httpStatuses[code], message, issues);
  if (error instanceof TRPCError && error.code !== "INTERNAL_SERVER_ERROR") {
    return refuse(getHTTPStatusCodeFromError(error), error.message);
  }
  console.error(cause);
  return refuse(500, message);
}

type Paging = { limit: number | undefined; offset: number };

const maxItems = 1000;

/** Parses query parameters: text if the schema expects text, else JSON. The procedure's schema rejects unknown ones. */
function readParameters(input: JsonSchema | undefined, search: URLSearchParams) {
  const properties = input ? propertiesOf(input) : new Map<string, JsonSchema>();
  const values: Record<string, unknown> = {};
  const paging: Paging = { limit: undefined, offset: 0 };
  for (const name of new Set(search.keys())) {
    const [text = "", ...others] = search.getAll(name);
    if (others.length > 0)
      throw new AppError("bad_input", `${name}: given ${others.length + 1} times; write a list as JSON`);
    const property = properties.get(name);
    if (property) values[name] = isText(property) ? text : parseJson(name, text);
    else if (name === "limit") paging.limit = readCount(name, text, 1);
    else if (name === "offset") paging.offset = readCount(name, text, 0);
    else values[name] = text;
  }
  return { values, paging };
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError(
      "bad_input",
      `${name}: ${JSON.stringify(text.slice(0, 80))} is not valid JSON; write text in quotes`,
    );
  }
}

function readCount(name: string, text: string, least: number): number {
  const most = name === "limit" ? maxItems : 2 ** 31 - 1;
  const count = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= least && count <= most) return count;
  const what = JSON.stringify(text.slice(0, 80));
  throw new AppError("bad_input", `${name}: a whole number from ${least} to ${most}, not ${what}`);
}

/** Converts to JSON: dates are ISO 8601 in UTC, and non-finite numbers are text that Python's float() accepts. */
export function toPlain(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Float64Array || value instanceof Int32Array) return Array.from(value, toPlain);
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : toPlain(item)));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toPlain(item)]));
}
