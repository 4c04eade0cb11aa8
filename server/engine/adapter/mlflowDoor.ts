import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { AppError } from "#packages/base";
import { answerMlflow, refuse, refuseFor } from "#server/domain/trainers/mlflow/answer.ts";
import { maxMessageBytes, parseMessage } from "#server/domain/trainers/mlflow/messages.ts";
import type { TrackingStore } from "#server/domain/trainers/mlflow/store.ts";
import { answerArtifacts, type ArtifactAnswer } from "#server/engine/trainers/artifactFolder.ts";

/** MLflow tracking server of one attempt; `environment` gives MLflow loggers its address and a token. */
export type MlflowDoor = { environment: Record<string, string>; close: () => Promise<void> };

/** Serves MLflow's tracking protocol on loopback during the attempt, without the web app's routes and secrets. */
export async function openMlflowDoor(store: TrackingStore): Promise<MlflowDoor> {
  const token = randomBytes(24).toString("base64url");
  const expected = hashOf(token);
  const server = createServer((request, response) => {
    void answer(store, request, expected).then((answered) => {
      if ("file" in answered) {
        response.writeHead(200, { "content-type": "application/octet-stream", "content-length": answered.sizeBytes });
        createReadStream(answered.file)
          .on("error", () => response.destroy())
          .pipe(response);
      } else {
        response.writeHead(answered.status, { "content-type": "application/json" }).end(JSON.stringify(answered.body));
      }
      return undefined;
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    environment: { MLFLOW_TRACKING_URI: `http://127.0.0.1:${port}`, MLFLOW_TRACKING_TOKEN: token },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const root = "/api/2.0/mlflow/";
const artifactRoot = "/api/2.0/mlflow-artifacts/artifacts";

async function answer(store: TrackingStore, request: IncomingMessage, expected: Buffer): Promise<ArtifactAnswer> {
  const bearer = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
  if (!timingSafeEqual(hashOf(bearer), expected))
    return refuse(401, "UNAUTHENTICATED", "this token does not belong to the attempt");
  const url = new URL(request.url ?? "/", "http://localhost");
  const { method = "GET" } = request;
  try {
    if (url.pathname === artifactRoot || url.pathname.startsWith(`${artifactRoot}/`)) {
      const path = decodeURIComponent(url.pathname.slice(artifactRoot.length + 1));
      return await answerArtifacts(store, { method, path, query: url.searchParams, body: request });
    }
    if (!url.pathname.startsWith(root))
      return refuse(404, "ENDPOINT_NOT_FOUND", `${method} ${url.pathname} is not answered here`);
    const input = method === "GET" ? Object.fromEntries(url.searchParams) : await readBody(request);
    return await answerMlflow(store, { method, path: url.pathname.slice(root.length), input });
  } catch (error) {
    if (error instanceof AppError) return refuseFor(error);
    return refuse(503, "TEMPORARILY_UNAVAILABLE", `not stored: ${String(error)}`);
  }
}

/** Reads a request body. Throws AppError: `too_large`, `bad_input`. */
async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let numBytes = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    numBytes += bytes.length;
    // Larger bodies are read to their end: a client whose upload is cut off would miss the response.
    if (numBytes <= maxMessageBytes) chunks.push(bytes);
  }
  if (numBytes > maxMessageBytes) {
    const [sent, limit] = [numBytes, maxMessageBytes].map((bytes) => `${Number((bytes / 2 ** 20).toFixed(1))} MB`);
    throw new AppError("too_large", `${sent} were sent, the limit is ${limit}`);
  }
  return numBytes === 0 ? {} : parseMessage(Buffer.concat(chunks).toString("utf8"));
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
