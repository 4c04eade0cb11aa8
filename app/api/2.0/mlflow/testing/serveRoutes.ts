import type { IncomingMessage } from "node:http";
import { listen } from "../../../testing/listen.ts";
import { GET as download } from "../../../runs/[runId]/artifacts/[...path]/route.ts";
import * as artifacts from "../../mlflow-artifacts/artifacts/[[...path]]/route.ts";
import { GET, POST } from "../[...path]/route.ts";

const roots = { mlflow: "/api/2.0/mlflow/", artifacts: "/api/2.0/mlflow-artifacts/artifacts", runs: "/api/runs/" };

/** Serves the tracking endpoint and artifacts on a local port; `asked` lists the finished requests. */
export function serveRoutes() {
  return listen(answer);
}

async function answer(incoming: IncomingMessage, content: Buffer<ArrayBuffer>): Promise<Response> {
  const { method = "GET", url = "", headers } = incoming;
  const { authorization, cookie = "" } = headers;
  const body = method === "GET" ? {} : { body: content };
  const sender = { cookie, ...(authorization !== undefined && { authorization }) };
  const request = new Request(`http://localhost${url}`, { method, headers: sender, ...body });
  // The path is taken from the raw URL, because `new URL` would resolve the dots in it.
  const sent = url.split("?")[0] ?? "";
  if (sent.startsWith(roots.mlflow)) {
    const path = partsOf(sent.slice(roots.mlflow.length));
    return await (method === "GET" ? GET : POST)(request, { params: Promise.resolve({ path }) });
  }
  if (sent.startsWith(roots.artifacts)) {
    const path = partsOf(sent.slice(roots.artifacts.length)).slice(1);
    const handler = method === "PUT" ? artifacts.PUT : method === "DELETE" ? artifacts.DELETE : artifacts.GET;
    return await handler(request, { params: Promise.resolve({ path }) });
  }
  const [runId = "", , ...path] = partsOf(sent.slice(roots.runs.length));
  if (sent.startsWith(roots.runs)) return await download(request, { params: Promise.resolve({ runId, path }) });
  return new Response("none", { status: 404 });
}

/** Splits a path into segments and decodes each segment once, as the router does. */
function partsOf(path: string): string[] {
  return path.split("/").map(decodeURIComponent);
}
