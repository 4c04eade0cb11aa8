import { stat } from "node:fs/promises";
import { findInside, orNull } from "./findInside.ts";
import { samplesFile, type AttemptFolder } from "./reports/samples.ts";

/** Files of a run that may be downloaded. Names, not paths: nothing a browser sends is one. */
const places = {
  "policy.onnx": "policy.onnx",
  "vocabulary.json": "vocabulary.json",
  // A language model and its adapters, each in a folder of its own on the node.
  "model.safetensors": "model/model.safetensors",
  "model.onnx": "model/model.onnx",
  "config.json": "model/config.json",
  "tokenizer.json": "model/tokenizer.json",
  "tokenizer_config.json": "model/tokenizer_config.json",
  "chat_template.jinja": "model/chat_template.jinja",
  "adapter_model.safetensors": "adapter/adapter_model.safetensors",
  "adapter_config.json": "adapter/adapter_config.json",
  [samplesFile]: samplesFile,
  "events.jsonl": "events.jsonl",
} as const;
export type ArtifactName = keyof typeof places;
export type Artifact = { name: ArtifactName; path: string; sizeBytes: number; attempt: number };

export function isArtifactName(name: string): name is ArtifactName {
  return Object.hasOwn(places, name);
}

/** Whether it is part of a folder that others load as a whole. */
export function isOfModel(name: ArtifactName): boolean {
  return places[name].includes("/");
}

/** Each file as the newest attempt that has it wrote it; an absent one is left out. */
export async function findArtifacts(attempts: readonly AttemptFolder[]): Promise<Artifact[]> {
  const names = Object.keys(places).filter(isArtifactName);
  const found = await Promise.all(names.map((name) => findNewest(attempts, name)));
  return found.filter((artifact) => artifact !== undefined);
}

export async function findNewest(
  attempts: readonly AttemptFolder[],
  name: ArtifactName,
): Promise<Artifact | undefined> {
  for (const { number, folder } of attempts.toSorted((a, b) => b.number - a.number)) {
    const path = await findInside(folder, places[name]);
    // Its trainer may replace or remove it between the two looks.
    const stats = path === null ? null : await orNull(stat(path));
    if (path !== null && stats !== null) return { name, path, sizeBytes: stats.size, attempt: number };
  }
  return undefined;
}
