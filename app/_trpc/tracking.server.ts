import { refuseCaller } from "#server/api/caller.ts";
import { findArtifacts } from "#server/api/artifacts.ts";
import { readConfig } from "#server/config/config.ts";
import { readAttemptFolders } from "#server/db/runs.ts";
import { refuse, type MlflowAnswer } from "#server/domain/mlflow/answer.ts";
import type { TrackingStore } from "#server/domain/mlflow/store.ts";
import { makePostgresStore } from "#server/tracking/postgresStore.ts";
import { readCaller } from "./caller.server.ts";
import { services } from "./services.server.ts";

declare global {
  // One per process, as the connections are: it holds the open journals.
  var arlarenaTracking: TrackingStore | undefined;
}

/** The tracked runs of this process. The route checks the token before it calls this. */
export function tracking(): TrackingStore {
  globalThis.arlarenaTracking ??= makePostgresStore(services().database, { home: readConfig().home, findRunFiles });
  return globalThis.arlarenaTracking;
}

async function findRunFiles(runId: string) {
  return findArtifacts(await readAttemptFolders(services().database, runId));
}

/** Why a request may not read or write runs; undefined where its token may. A browser has none and is refused. */
export async function refuseStranger(request: Request, use: "reads" | "writes"): Promise<MlflowAnswer | undefined> {
  if (!request.headers.has("authorization")) {
    return refuse(401, "UNAUTHENTICATED", "MLFLOW_TRACKING_TOKEN is missing: npx arlarena token makes one");
  }
  const caller = await readCaller(request.headers);
  if (caller.kind !== "token") return refuse(401, "UNAUTHENTICATED", "this token is not valid, or not any more");
  // Who sends runs reads them too.
  const isReader = use === "reads" && refuseCaller(caller, { access: "view", isChange: false }) === undefined;
  const refusal = isReader ? undefined : refuseCaller(caller, { access: "track", isChange: use === "writes" });
  return refusal && refuse(refusal.status, "PERMISSION_DENIED", refusal.message);
}

/** What a client gets where nothing of ours failed on purpose: most often the database is away. It sends again. */
export function refuseForNow(error: unknown): MlflowAnswer {
  console.error(`tracking: ${String(error)}`);
  return refuse(503, "TEMPORARILY_UNAVAILABLE", "not stored: try again");
}

/**
 * An answer of the protocol as a response. A 503 names no time: MLflow's client then sends again seven times in four
 * minutes, at growing distances; told to come back after two seconds it gave up after fourteen.
 */
export function respond({ status, body }: MlflowAnswer): Response {
  return Response.json(body, { status });
}
