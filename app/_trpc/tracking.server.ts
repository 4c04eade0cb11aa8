import { refuseCaller } from "#server/api/people/caller.ts";
import { findArtifacts } from "#server/api/runs/artifacts.ts";
import { readConfig } from "#server/config/config.ts";
import { readAttemptFolders } from "#server/db/runs/runs.ts";
import { refuse, type MlflowAnswer } from "#server/domain/trainers/mlflow/answer.ts";
import type { TrackingStore } from "#server/domain/trainers/mlflow/store.ts";
import { makePostgresStore } from "#server/engine/trainers/postgresStore.ts";
import { readCaller } from "./caller.server.ts";
import { services } from "./services.server.ts";

declare global {
  // One store per process, as for the database connections: the store contains the open journals of received runs.
  var arlarenaTracking: TrackingStore | undefined;
}

/** Returns the store of runs sent in MLflow's protocol. The route must check the request's token first. */
export function tracking(): TrackingStore {
  globalThis.arlarenaTracking ??= makePostgresStore(services().database, { home: readConfig().home, findRunFiles });
  return globalThis.arlarenaTracking;
}

async function findRunFiles(runId: string) {
  return findArtifacts(await readAttemptFolders(services().database, runId));
}

/** Returns the refusal of a request whose token does not allow it. Browsers send no token and are refused. */
export async function refuseStranger(request: Request, use: "reads" | "writes"): Promise<MlflowAnswer | undefined> {
  if (!request.headers.has("authorization")) {
    return refuse(401, "UNAUTHENTICATED", "MLFLOW_TRACKING_TOKEN is missing: create a token with npx arlarena token");
  }
  const caller = await readCaller(request.headers);
  if (caller.kind !== "token") return refuse(401, "UNAUTHENTICATED", "this token is invalid or has expired");
  // A token that may send runs may also read runs.
  const isReader = use === "reads" && refuseCaller(caller, { access: "view", isChange: false }) === undefined;
  const refusal = isReader ? undefined : refuseCaller(caller, { access: "track", isChange: use === "writes" });
  return refusal && refuse(refusal.status, "PERMISSION_DENIED", refusal.message);
}

/** Returns the response to an unexpected error, usually an unavailable database: 503, so that clients retry. */
export function refuseForNow(error: unknown): MlflowAnswer {
  console.error(`tracking: ${String(error)}`);
  return refuse(503, "TEMPORARILY_UNAVAILABLE", "not stored: try again");
}

/** Returns the HTTP response, without Retry-After: MLflow's client then retries a 503 for longer. */
export function respond({ status, body }: MlflowAnswer): Response {
  return Response.json(body, { status });
}
