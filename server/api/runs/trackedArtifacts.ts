import { join } from "node:path";
import {
  artifactFolderName,
  artifactLimits,
  findArtifact,
  listAllArtifacts,
} from "#server/engine/trainers/artifactFolder.ts";
import type { AttemptFolder } from "./samples.ts";

/** First artifacts by path with their sizes, and the total number. */
export type TrackedArtifacts = { files: { path: string; sizeBytes: number }[]; numFiles: number };

/** Artifacts sent by a run's program over MLflow's protocol; a path of several attempts is taken from the newest. */
export async function listTrackedArtifacts(
  attempts: readonly AttemptFolder[],
  limit: number,
): Promise<TrackedArtifacts> {
  const sizes = new Map<string, number>();
  for (const { folder } of newestLast(attempts)) {
    const found = await listAllArtifacts(join(folder, artifactFolderName), artifactLimits.numFiles);
    for (const { path, sizeBytes } of found) sizes.set(path, sizeBytes);
  }
  const files = [...sizes].map(([path, sizeBytes]) => ({ path, sizeBytes }));
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files: files.slice(0, limit), numFiles: files.length };
}

/** Location and size of an artifact; undefined if no attempt has it. A path that leaves the folder is rejected. */
export async function findTrackedArtifact(
  attempts: readonly AttemptFolder[],
  path: string,
): Promise<{ path: string; sizeBytes: number } | undefined> {
  for (const { folder } of newestLast(attempts).toReversed()) {
    const found = await findArtifact(join(folder, artifactFolderName), path);
    if (found) return found;
  }
  return undefined;
}

function newestLast(attempts: readonly AttemptFolder[]): AttemptFolder[] {
  return attempts.toSorted((a, b) => a.number - b.number);
}
