import { AppError, refuseUnstorable } from "#packages/base";
import { refuse, refuseFor, toFile, type MlflowAnswer } from "#server/domain/trainers/mlflow/answer.ts";
import type { TrackingStore } from "#server/domain/trainers/mlflow/store.ts";
import { putArtifact, removeArtifact } from "./artifactFolder.ts";

/** A request below `/api/2.0/mlflow-artifacts/artifacts`: `path` is the rest, decoded and without its leading slash. */
export type ArtifactRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  body: AsyncIterable<Uint8Array> | null;
};
export type ArtifactAnswer = MlflowAnswer | { file: string; sizeBytes: number };

/** Answers artifact requests of MLflow's client: list, put, get, delete. */
export async function answerArtifacts(store: TrackingStore, request: ArtifactRequest): Promise<ArtifactAnswer> {
  const { method, path, query, body } = request;
  try {
    refuseUnstorable({ path, query: query.get("path") });
    switch (method) {
      case "PUT": {
        const { runId, inside } = cutPath(path);
        const folder = await store.writtenFolder(runId);
        await putArtifact(folder, { path: inside, content: body ?? nothing() });
        return { status: 200, body: {} };
      }
      case "DELETE": {
        const { runId, inside } = cutPath(path);
        await removeArtifact(await store.writtenFolder(runId), inside);
        return { status: 200, body: {} };
      }
      case "GET": {
        const isList = path === "";
        const { runId, inside } = cutPath(isList ? (query.get("path") ?? "") : path);
        if (isList) return { status: 200, body: { files: (await store.listArtifacts(runId, inside)).map(toNamed) } };
        const file = await store.findArtifact(runId, inside);
        if (!file) throw new AppError("not_found", `run ${runId} has no artifact "${inside}"`);
        return { file: file.path, sizeBytes: file.sizeBytes };
      }
    }
    return refuse(404, "ENDPOINT_NOT_FOUND", `${method} of an artifact is not answered here`);
  } catch (error) {
    return refuseFor(error);
  }
}

/** Parses `EXPERIMENT/RUN/artifacts/PATH`, as in the client's `artifact_uri`. */
function cutPath(path: string): { runId: string; inside: string } {
  const [, runId = "", middle, ...rest] = path.split("/");
  if (middle !== "artifacts") throw new AppError("bad_input", `artifact path "${path.slice(0, 200)}" names no run`);
  return { runId, inside: rest.join("/") };
}

/** Names a listed entry relative to the requested folder. */
function toNamed(entry: Parameters<typeof toFile>[0]) {
  return toFile({ ...entry, path: entry.path.split("/").at(-1) ?? "" });
}

async function* nothing(): AsyncIterable<Uint8Array> {}
