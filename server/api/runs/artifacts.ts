import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { groupFiles } from "#trainer/spec/keptGroup.ts";
import {
  hasWeights,
  isShardName,
  isWeights,
  type ShardName,
  weightIndex,
  wholeWeights,
} from "#server/domain/runs/weightFiles.ts";
import {
  artifactFolderName,
  artifactLimits,
  findArtifact,
  listAllArtifacts,
} from "#server/engine/trainers/artifactFolder.ts";
import { ignoreMissing } from "#server/config/fileErrors.ts";
import { findInside } from "./findInside.ts";
import { type AttemptFolder, episodesFile } from "./episodes.ts";

/** Path of each downloadable file in an attempt's folder, by the file's public name: a browser never sends a path. */
const places = {
  "policy.onnx": "policy.onnx",
  "vocabulary.json": "vocabulary.json",
  // The language model and its adapters are stored in separate folders.
  [wholeWeights]: `model/${wholeWeights}`,
  [weightIndex]: `model/${weightIndex}`,
  "model.onnx": "model/model.onnx",
  "config.json": "model/config.json",
  "tokenizer.json": "model/tokenizer.json",
  "tokenizer_config.json": "model/tokenizer_config.json",
  "chat_template.jinja": "model/chat_template.jinja",
  "adapter_model.safetensors": "adapter/adapter_model.safetensors",
  "adapter_config.json": "adapter/adapter_config.json",
  [episodesFile]: episodesFile,
  [groupFiles.index]: groupFiles.index,
  [groupFiles.tokens]: groupFiles.tokens,
  "events.jsonl": "events.jsonl",
} as const;
export type ArtifactName = keyof typeof places | ShardName;
export type Artifact = { name: ArtifactName; path: string; sizeBytes: number; attempt: number };

function isFixedName(name: string): name is keyof typeof places {
  return Object.hasOwn(places, name);
}

export function isArtifactName(name: string): name is ArtifactName {
  return isFixedName(name) || isShardName(name);
}

function placeOf(name: ArtifactName): string {
  return isFixedName(name) ? places[name] : `model/${name}`;
}

/** True if the file belongs to a folder whose files form one language model and are loaded together. */
export function isOfModel(name: ArtifactName): boolean {
  return placeOf(name).includes("/");
}

export async function findArtifacts(attempts: readonly AttemptFolder[]): Promise<Artifact[]> {
  const names = Object.keys(places).filter(isFixedName);
  const found = (await Promise.all(names.map((name) => findNewest(attempts, name)))).filter(isThere);
  const index = found.findIndex(({ name }) => name === weightIndex);
  const shards = found[index] ? await findShards(attempts, found[index]) : [];
  return found.toSpliced(index + 1, 0, ...shards);
}

async function findShards(attempts: readonly AttemptFolder[], { path, attempt }: Artifact): Promise<Artifact[]> {
  const names = ((await readdir(dirname(path)).catch(ignoreMissing)) ?? []).filter(isShardName).toSorted();
  const sameAttempt = attempts.filter(({ number }) => number === attempt);
  return (await Promise.all(names.map((name) => findNewest(sameAttempt, name)))).filter(isThere);
}

function isThere(artifact: Artifact | undefined): artifact is Artifact {
  return artifact !== undefined;
}

/** Returns the folder of the latest attempt with a complete language model; undefined if there is none. */
export async function findModelFolder(attempts: readonly AttemptFolder[]): Promise<string | undefined> {
  for (const attempt of attempts.toSorted((a, b) => b.number - a.number)) {
    const found = await findArtifacts([attempt]);
    const weights = found.find(({ name }) => isWeights(name));
    if (weights && hasWeights(found.map(({ name }) => name))) return dirname(weights.path);
  }
  return undefined;
}

export async function findNewest(
  attempts: readonly AttemptFolder[],
  name: ArtifactName,
): Promise<Artifact | undefined> {
  for (const { number, folder } of attempts.toSorted((a, b) => b.number - a.number)) {
    const path = await findInside(folder, placeOf(name));
    // The trainer may replace or remove the file after `findInside` has returned.
    const stats = path === null ? undefined : await stat(path).catch(ignoreMissing);
    if (path !== null && stats) return { name, path, sizeBytes: stats.size, attempt: number };
  }
  return undefined;
}

type TrackedArtifacts = { files: { path: string; sizeBytes: number }[]; numFiles: number };

/** Lists artifacts that a run's program uploaded. Of equal paths in several attempts, the newest counts. */
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

/** Finds an artifact in the newest attempt that has it; undefined if none has. Paths out of the folder are rejected. */
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
