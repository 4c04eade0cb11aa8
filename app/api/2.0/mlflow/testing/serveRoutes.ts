import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { GET as download } from "../../../runs/[runId]/artifacts/[...path]/route.ts";
import * as artifacts from "../../mlflow-artifacts/artifacts/[[...path]]/route.ts";
import { GET, POST } from "../[...path]/route.ts";

const roots = { mlflow: "/api/2.0/mlflow/", artifacts: "/api/2.0/mlflow-artifacts/artifacts", runs: "/api/runs/" };

/** The tracking endpoint and the download of artifacts on a port of this machine; `asked` tells each request's end. */
export async function serveRoutes() {
  const asked: string[] = [];
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const response = await answer(incoming);
      asked.push(`${response.status} ${incoming.method} ${incoming.url?.split("?")[0]}`);
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.end(Buffer.from(await response.arrayBuffer()));
    })();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return { port, url: `http://127.0.0.1:${port}`, asked, close: () => void server.close() };
}

async function answer(incoming: IncomingMessage): Promise<Response> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) if (chunk instanceof Uint8Array) chunks.push(chunk);
  const { method = "GET", url = "", headers } = incoming;
  const { authorization = "", cookie = "" } = headers;
  const body = method === "GET" ? {} : { body: Buffer.concat(chunks) };
  const request = new Request(`http://localhost${url}`, { method, headers: { authorization, cookie }, ...body });
  // The path as it was sent: `new URL` would resolve its dots.
  const sent = url.split("?")[0] ?? "";
  if (sent.startsWith(roots.mlflow)) {
    const path = sent.slice(roots.mlflow.length).split("/");
    return await (method === "GET" ? GET : POST)(request, { params: Promise.resolve({ path }) });
  }
  if (sent.startsWith(roots.artifacts)) {
    const path = sent.slice(roots.artifacts.length).split("/").slice(1);
    const handler = method === "PUT" ? artifacts.PUT : method === "DELETE" ? artifacts.DELETE : artifacts.GET;
    return await handler(request, { params: Promise.resolve({ path }) });
  }
  const [runId = "", , ...path] = sent.slice(roots.runs.length).split("/");
  if (sent.startsWith(roots.runs)) return await download(request, { params: Promise.resolve({ runId, path }) });
  return new Response("none", { status: 404 });
}
