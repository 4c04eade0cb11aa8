import { readConfig } from "#server/config/config.ts";
import { httpStatuses } from "#server/api/problem.ts";
import { readText } from "#server/api/readText.ts";
import { isTrackingToken } from "#server/db/trackingTokens.ts";
import { AppError } from "#server/domain/errors.ts";
import { answerMlflow, refuse, type MlflowAnswer } from "#server/domain/mlflow/answer.ts";
import type { TrackingStore } from "#server/domain/mlflow/store.ts";
import { makePostgresStore } from "#server/tracking/postgresStore.ts";
import { makeRoute } from "#app/_trpc/route.server.ts";
import { services } from "#app/_trpc/services.server.ts";

declare global {
  // One per process, as the connections are: it holds the open journals.
  var arlarenaTracking: TrackingStore | undefined;
}

type Props = { params: Promise<{ path: string[] }> };

export const GET = makeRoute(handle);
export const POST = makeRoute(handle);

/** MLflow's tracking protocol for trainers with a token of ours. A browser has none and is refused. */
async function handle(request: Request, { params }: Props): Promise<Response> {
  const token = /^Bearer (\S+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
  if (token === undefined) {
    return respond(refuse(401, "UNAUTHENTICATED", "MLFLOW_TRACKING_TOKEN is missing: npx arlarena token makes one"));
  }
  const { database } = services();
  try {
    if (!(await isTrackingToken(database, token))) {
      return respond(refuse(401, "UNAUTHENTICATED", "this token is not valid, or not any more"));
    }
    const input = await readInput(request);
    const path = (await params).path.join("/");
    globalThis.arlarenaTracking ??= makePostgresStore(database, readConfig().home);
    return respond(await answerMlflow(globalThis.arlarenaTracking, { method: request.method, path, input }));
  } catch (error) {
    if (error instanceof AppError) {
      return respond(refuse(httpStatuses[error.code], "INVALID_PARAMETER_VALUE", error.message));
    }
    // Most often the database is away. The client sends again what was not acknowledged; what was is in the journal.
    console.error(`tracking: ${String(error)}`);
    return respond(refuse(503, "TEMPORARILY_UNAVAILABLE", "not stored: try again"), { "retry-after": "2" });
  }
}

const maxBytes = 16 * 1024 * 1024;

async function readInput(request: Request): Promise<unknown> {
  const query: Record<string, string> = Object.fromEntries(new URL(request.url).searchParams);
  if (request.method === "GET") return query;
  const text = await readText(request, maxBytes);
  if (text === "") return query;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("bad_input", "the message is no JSON", { cause });
  }
}

function respond({ status, body }: MlflowAnswer, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers });
}
