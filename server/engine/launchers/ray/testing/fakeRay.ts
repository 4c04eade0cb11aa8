import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { z } from "zod";
import type { JobDetails } from "../api.ts";

const Submission = z.looseObject({
  submission_id: z.string(),
  entrypoint: z.string(),
  metadata: z.record(z.string(), z.string()),
});

type Fault = "none" | "answerLost" | "refuses" | "breaks" | "forbidden";

/** A fake Ray head with recorded responses of Ray 2.60, for situations that are hard to produce with a real head. */
export type FakeRay = {
  address: string;
  session: string;
  jobs: Map<string, JobDetails>;
  logs: Map<string, string>;
  packages: Set<string>;
  submissions: z.infer<typeof Submission>[];
  asked: { path: string; headers: IncomingMessage["headers"] }[];
  fault: Fault;
  close(): Promise<void>;
};

export const pending: JobDetails = {
  status: "PENDING",
  message:
    "Job has not started yet. It may be waiting for resources (CPUs, GPUs, memory, custom resources) to become available.",
  error_type: null,
  metadata: {},
  driver_agent_http_address: null,
  driver_node_id: null,
  driver_exit_code: null,
};
export const onMachine = { driver_agent_http_address: "http://192.0.2.2:52365", driver_node_id: "14b81ed7" } as const;

const traceback = (error: string) =>
  `Traceback (most recent call last):\n  File "job_head.py", line 419, in submit_job\n${error}`;
const wrapped = (error: string) =>
  traceback(`RuntimeError: Request failed with status code 400: ${traceback(error)}\n.`);

export async function makeFakeRay(): Promise<FakeRay> {
  const state: Omit<FakeRay, "address" | "close"> = {
    session: "session_1",
    jobs: new Map(),
    logs: new Map(),
    packages: new Set(),
    submissions: [],
    asked: [],
    fault: "none",
  };
  const server = createServer((request, response) => void answer(state, request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    address: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

type State = Omit<FakeRay, "address" | "close">;

async function answer(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://head");
  const { method = "GET", headers } = request;
  state.asked.push({ path: pathname, headers });
  const body = await text(request);
  const say = (status: number, said: unknown): void =>
    void response.writeHead(status).end(typeof said === "string" ? said : JSON.stringify(said));
  if (method !== "GET" && headers["sec-fetch-mode"] !== undefined) {
    return say(405, `'${method}' method not allowed for browser traffic.`);
  }
  if (state.fault === "forbidden") return say(401, "Unauthorized");
  if (state.fault === "breaks" && pathname !== "/api/version")
    return say(500, traceback("grpc.aio.AioRpcError: UNAVAILABLE"));
  const [, , noun, id = "", verb] = pathname.split("/");
  if (noun === "version") return say(200, { version: "4", ray_version: "2.60.0", session_name: state.session });
  if (noun === "packages") {
    const name = pathname.split("/").at(-1) ?? "";
    if (method === "PUT") state.packages.add(name);
    return state.packages.has(name) ? say(200, "") : say(404, `Package gcs://${name} does not exist`);
  }
  if (noun === "v0") {
    const log = state.logs.get(/^job-driver-(.*)\.log$/.exec(searchParams.get("filename") ?? "")?.[1] ?? "");
    const lines = Number(searchParams.get("lines"));
    if (log === undefined) return say(500, "A file is not found");
    return say(
      200,
      lines === -1
        ? log
        : log
            .split("\n")
            .slice(-1 - lines)
            .join("\n"),
    );
  }
  if (method === "POST" && id === "") return submit(state, body, { say, drop: () => void request.socket.destroy() });
  const job = state.jobs.get(id);
  if (job === undefined) return say(404, `Job ${id} does not exist`);
  if (verb === "stop") return say(200, { stopped: true });
  if (verb === "logs") return say(500, traceback("ClientConnectorError: Cannot connect to host 192.0.2.2:52365"));
  say(200, job);
}

type Ways = { say: (status: number, said: unknown) => void; drop: () => void };

function submit(state: State, body: string, { say, drop }: Ways): void {
  const submission = Submission.parse(JSON.parse(body));
  const { submission_id: id, metadata } = submission;
  if (state.fault === "refuses")
    return say(400, traceback("TypeError: entrypoint_num_cpus must be a number, got <class 'str'>"));
  if (state.jobs.has(id)) {
    const why = `ValueError: Job with submission_id ${id} already exists. Please use a different submission_id.`;
    return say(500, wrapped(why));
  }
  state.submissions.push(submission);
  state.jobs.set(id, { ...pending, metadata });
  if (state.fault === "answerLost") return drop();
  say(200, { job_id: id, submission_id: id });
}
