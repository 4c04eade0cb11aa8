import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { lstat, mkdir, readdir, realpath, rename, rm } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError, refuseUnstorable } from "#packages/base";
import { hasCode } from "#server/config/fileErrors.ts";
import { type MlflowAnswer, refuse, refuseFor, toFile } from "#server/domain/trainers/mlflow/answer.ts";
import type { ArtifactEntry, TrackingStore } from "#server/domain/trainers/mlflow/store.ts";

/** Maximum size of one artifact and of all artifacts of a run in bytes, and maximum number of files per run. */
export const artifactLimits = { fileBytes: 512 * 1024 ** 2, runBytes: 4 * 1024 ** 3, numFiles: 10_000 };

export const artifactFolderName = "artifacts";

/** Checks an artifact's path and drops empty parts. Paths out of the folder or unsupported ones are rejected. */
export function checkArtifactPath(path: string): string {
  const parts = path.split("/").filter((part) => part !== "");
  if (parts.some((part) => part.startsWith(partPrefix))) {
    throw new AppError(
      "bad_input",
      `artifact path "${path.slice(0, 200)}": names that begin with ${partPrefix} are reserved`,
    );
  }
  const isBad = parts.some(
    (part) => part === "." || part === ".." || /[\0\\]/.test(part) || Buffer.byteLength(part) > 200,
  );
  if (isBad || parts.length > 32) {
    const rule = "names of at most 200 bytes and 32 folders, without .., backslashes and NUL";
    throw new AppError("bad_input", `artifact path "${path.slice(0, 200)}": ${rule}`);
  }
  return parts.join("/");
}

/** Lists the direct children of an artifact folder, sorted by name; empty if the folder does not exist. */
export async function listArtifacts(root: string, folder: string): Promise<ArtifactEntry[]> {
  const inside = checkArtifactPath(folder);
  const at = await findInside(root, inside);
  if (at === undefined) return [];
  // For a path that names a file, the list contains that file alone, as in MLflow.
  if ((await lstat(at)).isFile()) return [{ path: inside, isFolder: false, sizeBytes: (await lstat(at)).size }];
  const entries = await readdir(at, { withFileTypes: true });
  const known = entries.filter(
    (entry) => (entry.isFile() || entry.isDirectory()) && !entry.name.startsWith(partPrefix),
  );
  const listed = await Promise.all(
    known.map(async (entry) => ({
      path: inside === "" ? entry.name : `${inside}/${entry.name}`,
      isFolder: entry.isDirectory(),
      sizeBytes: entry.isDirectory() ? 0 : (await lstat(join(at, entry.name))).size,
    })),
  );
  return listed.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Lists at most `limit` files in an artifact folder and its subfolders, sorted by path. */
export async function listAllArtifacts(root: string, limit: number): Promise<ArtifactEntry[]> {
  const files: ArtifactEntry[] = [];
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await listArtifacts(root, folder)) {
      if (files.length >= limit) return;
      if (entry.isFolder) await walk(entry.path);
      else files.push(entry);
    }
  };
  await walk("");
  return files;
}

/** Returns the real path and size of an artifact file; undefined if it does not exist. */
export async function findArtifact(
  root: string,
  path: string,
): Promise<{ path: string; sizeBytes: number } | undefined> {
  const at = await findInside(root, checkArtifactPath(path));
  const stats = at === undefined ? undefined : await lstat(at);
  return at !== undefined && stats?.isFile() ? { path: at, sizeBytes: stats.size } : undefined;
}

/** Stores an artifact; a complete upload replaces an existing one. Throws `too_large` beyond the limits. */
export async function putArtifact(
  root: string,
  { path, content }: { path: string; content: AsyncIterable<Uint8Array> },
  limits: typeof artifactLimits = artifactLimits,
): Promise<void> {
  const inside = checkArtifactPath(path);
  if (inside === "") throw new AppError("bad_input", "an artifact needs a name");
  const used = await measure(root, inside);
  if (used.numFiles >= limits.numFiles) {
    throw new AppError("too_large", `artifact "${inside}": a run keeps at most ${limits.numFiles}`);
  }
  await mkdir(root, { recursive: true });
  const partial = join(root, `${partPrefix}${randomUUID()}`);
  try {
    const leftBytes = limits.runBytes - used.numBytes;
    await pipeline(Readable.from(limited(content, { path: inside, limits, leftBytes })), createWriteStream(partial));
    const target = join(root, inside);
    await makeFolder(root, dirname(inside));
    await rename(partial, target);
  } catch (error) {
    await rm(partial, { force: true });
    if (hasCode(error, "EISDIR", "ENOTDIR", "EEXIST", "ENOTEMPTY")) {
      const problem = "a file and a folder cannot have the same path";
      throw new AppError("bad_input", `artifact "${inside}": ${problem}`, { cause: error });
    }
    throw error;
  }
}

/** Creates folders one by one and checks each: a link of the run's own program could lead out of the root. */
async function makeFolder(root: string, inside: string): Promise<void> {
  const parts = inside === "." ? [] : inside.split("/");
  for (const i of parts.keys()) {
    const folder = parts.slice(0, i + 1).join("/");
    await mkdir(join(root, folder)).catch((error: unknown) => {
      if (!hasCode(error, "EEXIST")) throw error;
    });
    if ((await findInside(root, folder)) === undefined) {
      throw new AppError("bad_input", `artifact path "${inside}" leads out of the run's folder`);
    }
  }
}

export async function removeArtifact(root: string, path: string): Promise<void> {
  const inside = checkArtifactPath(path);
  const at = inside === "" ? undefined : await findInside(root, inside);
  if (at === undefined) throw new AppError("not_found", `there is no artifact "${inside}"`);
  await rm(at, { recursive: true });
}

/** Name prefix of unfinished uploads, which are left out of artifact lists. */
const partPrefix = ".upload-";

type Bounds = { path: string; limits: typeof artifactLimits; leftBytes: number };

async function* limited(content: AsyncIterable<Uint8Array>, { path, limits, leftBytes }: Bounds) {
  let numBytes = 0;
  for await (const chunk of content) {
    numBytes += chunk.byteLength;
    if (numBytes > limits.fileBytes) throw tooLarge(path, "one artifact", limits.fileBytes);
    if (numBytes > leftBytes) throw tooLarge(path, "all artifacts of a run", limits.runBytes);
    yield chunk;
  }
}

function tooLarge(path: string, what: string, limitBytes: number): AppError {
  return new AppError("too_large", `artifact "${path}": the limit of ${what} is ${limitBytes / 1024 ** 2} MB`);
}

/** Counts a run's artifacts, hidden files and unfinished uploads, except the file `except`, which is replaced. */
async function measure(root: string, except: string): Promise<{ numFiles: number; numBytes: number }> {
  let [numFiles, numBytes] = [0, 0];
  const walk = async (folder: string): Promise<void> => {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
      if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
      throw error;
    });
    for (const entry of entries) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) await walk(path);
      else if (path !== except) {
        numFiles += 1;
        // Links are not followed. An upload's temporary file may disappear meanwhile; it then counts 0 bytes.
        numBytes += await lstat(join(root, path)).then(
          ({ size }) => size,
          () => 0,
        );
      }
    }
  };
  await walk("");
  return { numFiles, numBytes };
}

async function findInside(root: string, inside: string): Promise<string | undefined> {
  try {
    const [top, path] = [await realpath(root), await realpath(join(root, inside))];
    return path === top || path.startsWith(top + sep) ? path : undefined;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

/** HTTP request to `/api/2.0/mlflow-artifacts/artifacts/PATH`, where `path` is the decoded PATH. */
type ArtifactRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  body: AsyncIterable<Uint8Array> | null;
};
export type ArtifactAnswer = MlflowAnswer | { file: string; sizeBytes: number };

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
    return refuse(404, "ENDPOINT_NOT_FOUND", `${method} is not supported for artifacts`);
  } catch (error) {
    return refuseFor(error);
  }
}

/** Splits `EXPERIMENT/RUN/artifacts/PATH`, MLflow's form of an artifact's address, into run id and path. */
function cutPath(path: string): { runId: string; inside: string } {
  const [, runId = "", middle, ...rest] = path.split("/");
  if (middle !== "artifacts") throw new AppError("bad_input", `artifact path "${path.slice(0, 200)}" names no run`);
  return { runId, inside: rest.join("/") };
}

function toNamed(entry: Parameters<typeof toFile>[0]) {
  return toFile({ ...entry, path: entry.path.split("/").at(-1) ?? "" });
}

async function* nothing(): AsyncIterable<Uint8Array> {}
