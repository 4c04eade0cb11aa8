import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { RayNode } from "#server/domain/fleet/nodes/node.ts";
import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import type { ProgramSite } from "../resolveProgram.ts";
import type { Bundle } from "../ssh/ship.ts";

const text = z.string().nullish();

/** Fields of a job that the studio reads from `GET /api/jobs/ID` (Ray's openapi.yml, `JobDetails`). */
const JobDetails = z.object({
  status: z.enum(["PENDING", "RUNNING", "STOPPED", "SUCCEEDED", "FAILED"]),
  message: text,
  error_type: text,
  metadata: z.record(z.string(), z.string()).nullish(),
  driver_agent_http_address: text,
  driver_node_id: text,
  driver_exit_code: z.int().nullish(),
});
export type JobDetails = z.infer<typeof JobDetails>;

const Version = z.object({ session_name: z.string().default("") });
const Logs = z.object({ logs: z.string() });

/** Result of a submission. Ray's status 400 means that Ray refuses the request, or that the job id exists already. */
export type Submission = { is: "accepted" } | { is: "exists" } | { is: "refused"; why: string };

const requestMs = 15_000;
const uploadMs = 10 * 60_000;

type Request = Partial<Pick<HttpRequest, "method" | "body" | "timeoutMs">>;

export type RayApi = ReturnType<typeof makeRayApi>;
type Access = Pick<RayNode, "address" | "headers" | "tokenFile">;

/** Client of Ray's Jobs API. Its methods throw if Ray does not respond or responds with an error status. */
export function makeRayApi(node: Access) {
  const ask = (path: string, request: Request = {}) => askFor(node, path, request);
  const expect = async (path: string, request: Request = {}): Promise<string> => {
    const answer = await ask(path, request);
    if (answer.status !== 200) throw new Error(`${path}: ${explain(answer)}`);
    return answer.text;
  };
  return {
    /** Reads the name of the cluster's Ray session, which changes at each restart. */
    readSession: async (): Promise<string> => Version.parse(JSON.parse(await expect("/api/version"))).session_name,
    submit: async (request: object): Promise<Submission> => {
      const body = JSON.stringify(request);
      const answer = await ask("/api/jobs/", { method: "POST", body, timeoutMs: 60_000 });
      if (answer.status === 200) return { is: "accepted" };
      if (/submission_id \S+ already exists/.test(answer.text)) return { is: "exists" };
      // Ray's head wraps the error of a job agent in an error response of its own.
      if (answer.status === 400 || answer.text.includes("failed with status code 400")) {
        return { is: "refused", why: explain(answer) };
      }
      throw new Error(explain(answer));
    },
    readJob: async (id: string): Promise<JobDetails | undefined> => {
      const path = `/api/jobs/${encodeURIComponent(id)}`;
      const answer = await ask(path);
      if (answer.status === 404 && answer.text.includes("does not exist")) return undefined;
      if (answer.status !== 200) throw new Error(explain(answer));
      return JobDetails.parse(JSON.parse(answer.text));
    },
    /** Stops a job. False if Ray does not know the job. */
    stop: async (id: string): Promise<boolean> => {
      const answer = await ask(`/api/jobs/${encodeURIComponent(id)}/stop`, { method: "POST" });
      if (answer.status !== 200 && answer.status !== 404) throw new Error(explain(answer));
      return answer.status === 200;
    },
    /** Returns the last `lines` lines of a job's log; -1 means all lines. */
    readLog: async (id: string, { nodeId, lines }: { nodeId: string; lines: number }): Promise<string> => {
      const filename = `job-driver-${id}.log`;
      const query = new URLSearchParams({ node_id: nodeId, filename, lines: String(lines) });
      const tail = await ask(`/api/v0/logs/file?${query}`, { timeoutMs: 60_000 });
      if (tail.status === 200) return tail.text;
      // The Jobs API always returns the whole log.
      const whole = await expect(`/api/jobs/${encodeURIComponent(id)}/logs`, { timeoutMs: 60_000 });
      return Logs.parse(JSON.parse(whole)).logs;
    },
    upload: async (name: string, content: () => Promise<Uint8Array>): Promise<void> => {
      const path = `/api/packages/gcs/${name}`;
      // This request also protects the package from cleanup for ten minutes.
      const { status } = await ask(path);
      if (status === 200) return;
      if (status !== 404) throw new Error(`${path}: HTTP ${status}`);
      await expect(path, { method: "PUT", body: await content(), timeoutMs: uploadMs });
    },
  };
}

async function askFor({ address, headers, tokenFile }: Access, path: string, request: Request): Promise<HttpAnswer> {
  const { method = "GET", body, timeoutMs = requestMs } = request;
  const token = tokenFile === undefined ? undefined : (await readFile(tokenFile, "utf8")).trim();
  const all = {
    ...headers,
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(typeof body === "string" && { "Content-Type": "application/json" }),
  };
  const url = `${address.replace(/\/+$/, "")}${path}`;
  const answer = await send(url, { method, headers: all, body, timeoutMs }).catch((error: unknown) => {
    throw new Error(`${address}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  });
  if (answer.status === 401 || answer.status === 403) {
    throw new Error(`${address} refuses us (HTTP ${answer.status}): see headers and tokenFile of the nodes file`);
  }
  return answer;
}

/** Returns the reason in an error response. The last line of a traceback names the error. */
function explain({ status, text: body }: HttpAnswer): string {
  const lines = body.trim().split("\n");
  const line = lines.findLast((one) => /Error: /.test(one)) ?? lines.at(-1) ?? "";
  return `HTTP ${status}: ${line.trim().slice(0, 500)}`;
}

type HttpRequest = {
  method: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array | undefined;
  timeoutMs: number;
};
type HttpAnswer = { status: number; text: string };

/** Sends one request. `fetch` would add browser headers (Sec-Fetch-Mode), and Ray rejects requests from browsers. */
async function send(url: string, { method, headers, body, timeoutMs }: HttpRequest): Promise<HttpAnswer> {
  const request = url.startsWith("https:") ? requestSecure : requestPlain;
  const signal = AbortSignal.timeout(timeoutMs);
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  return await new Promise((resolve, reject) => {
    // A kept-alive connection may lead to a Ray head that has died, so each request opens a new connection.
    const options = { method, headers: { ...headers, "Content-Length": length }, signal, agent: false } as const;
    const asking = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
      );
    });
    asking.once("error", (error) => reject(signal.aborted ? new Error("no answer in time") : error));
    asking.end(body);
  });
}

export type RayOptions = Pick<ProgramSite, "resolve" | "readSecrets"> & {
  node: RayNode;
  /** State folder of the studio, with local copies of the cluster's job files. */
  home: string;
  bundle: Bundle;
  /** Interval at which the Ray head is polled while there are jobs. */
  pollMs?: number;
  /** Time without a record in Ray after which a job is lost; machines without the head end their jobs within 90 s. */
  absenceMs?: number;
  now?: () => number;
};

export type Cluster = RayOptions & {
  api: RayApi;
  now: () => number;
  absenceMs: number;
  folderOf: (jobId: string) => string;
  /** State that a restart may lose: log lines received per job, and since when jobs are absent or unreadable. */
  memory: {
    /** Uploads in progress, by package name. Runs that start together share an upload. */
    uploads: Map<string, Promise<void>>;
    numLines: Map<string, number>;
    absentSince: Map<string, number>;
    unreadSince: Map<string, number>;
  };
};
