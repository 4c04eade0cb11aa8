import { stat } from "node:fs/promises";
import { findInside, orNull } from "./findInside.ts";
import { samplesFile, type AttemptFolder } from "./reports/samples.ts";

/** Files of a run that may be downloaded. Names, not paths: nothing a browser sends is one. */
export const artifactNames = ["policy.onnx", "vocabulary.json", samplesFile, "events.jsonl"] as const;
export type ArtifactName = (typeof artifactNames)[number];
export type Artifact = { name: ArtifactName; path: string; sizeBytes: number; attempt: number };

export function isArtifactName(name: string): name is ArtifactName {
  return artifactNames.some((known) => known === name);
}

/** Each file as the newest attempt that has it wrote it; an absent one is left out. */
export async function findArtifacts(attempts: readonly AttemptFolder[]): Promise<Artifact[]> {
  const found = await Promise.all(artifactNames.map((name) => findNewest(attempts, name)));
  return found.filter((artifact) => artifact !== undefined);
}

export async function findNewest(
  attempts: readonly AttemptFolder[],
  name: ArtifactName,
): Promise<Artifact | undefined> {
  for (const { number, folder } of attempts.toSorted((a, b) => b.number - a.number)) {
    const path = await findInside(folder, name);
    // Its trainer may replace or remove it between the two looks.
    const stats = path === null ? null : await orNull(stat(path));
    if (path !== null && stats !== null) return { name, path, sizeBytes: stats.size, attempt: number };
  }
  return undefined;
}
