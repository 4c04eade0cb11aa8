import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { HalfFormat } from "#trainer/graph/tensor.ts";
import { numFrozen, numParameters } from "#trainer/policy/parameters.ts";
import { findFolder } from "#trainer/policy/hub/findModel.ts";
import { readHubSettings } from "#trainer/policy/hub/settings.ts";
import type { LlamaConfig } from "#trainer/policy/config.ts";
import { readModelConfig } from "#trainer/policy/llama/readModel.ts";
import { loraOf } from "#trainer/policy/llama/lora.ts";
import { findHalves } from "#trainer/policy/llama/weights.ts";
import { readSmallJson } from "#trainer/policy/tensorFile.ts";
import { chooseHalves, memoryOf, type MemoryNeed } from "#trainer/run/learning/memory.ts";
import { readPretrained } from "#trainer/spec/policy.ts";
import { mostRowTokens } from "#trainer/spec/rowTokens.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import type { InputIssue } from "#packages/base";
import type { CheckCell } from "#server/domain/plan/sweep/expand/conflicts.ts";
import type { ModelSizes } from "#server/domain/plan/sweep/estimate/estimate.ts";
import { isAllowed, type ModelFolders } from "./modelFolders.ts";

/** Description of a pretrained language model that a plan names, read from the model's files on this machine. */
export type ModelFacts = {
  pretrained: string;
  /** Number of parameters; null if this machine lacks the model's configuration, though the node may have it. */
  numParameters: number | null;
  /** Number of trained parameters: all parameters, or only those of the LoRA adapters. */
  numLearning: number | null;
  /** Model family: "llama", "qwen2" or "qwen3". */
  family: string | null;
  maxTokens: number | null;
  /** Memory limit in MB that the cell's specification sets for the trainer. */
  memoryLimitMb: number;
  provider: string;
  /** Memory that the trainer would need for the model; null if unknown. */
  memory: MemoryNeed | null;
  problems: readonly InputIssue[];
};

/** Parts of a cell's specification that determine how much memory its model needs. */
export type Specified = Pick<CellSpec, "policy" | "execution" | "environment" | "rollout">;

/** Folders and Hugging Face cache in which pretrained models are searched for. */
export type ModelPlaces = {
  folders: ModelFolders;
  cacheFolder: string;
};

/** Returns the model folders for a user with a terminal on this machine, who may name every folder. */
export function allPlaces(): ModelPlaces {
  return { folders: "any", cacheFolder: readHubSettings().cacheFolder };
}

/** Describes cells' models, once for each combination of model, adapters, context and memory limit. */
export function describeModels(specs: readonly Specified[], places: ModelPlaces = allPlaces()): ModelFacts[] {
  const look = makeLook(places);
  return [...new Set(specs.flatMap((spec) => look(spec) ?? []))];
}

/** Lists a cell's problems with its model before launch; none for other trainers and for models that are not here. */
export function makeModelCheck(): CheckCell {
  const look = makeLook(allPlaces());
  return (cell) => (cell.trainer === undefined ? (look(cell)?.problems ?? []) : []);
}

/** Returns a function that describes a cell's model, with a cache, because cells often share a model. */
function makeLook(places: ModelPlaces): (spec: Specified) => ModelFacts | undefined {
  const known = new Map<string, ModelFacts>();
  return (spec) => {
    const key = keyOf(spec);
    const { policy, execution, ...rows } = spec;
    if (policy.pretrained === undefined || key === undefined) return undefined;
    const room = { limitMb: execution.memoryLimitMb, answered: mostRowTokens(rows) };
    const asked = { policy, pretrained: policy.pretrained, room, provider: execution.provider };
    const facts = known.get(key) ?? describe(asked, places);
    known.set(key, facts);
    return facts;
  };
}

/** Returns a key, equal for cells whose models have the same description; undefined for a cell without a model. */
export function keyOf({ policy, execution, ...rows }: Specified): string | undefined {
  if (policy.pretrained === undefined) return undefined;
  const { memoryLimitMb, provider } = execution;
  const part = [policy.pretrained, policy.contextTokens, loraOf(policy), memoryLimitMb, mostRowTokens(rows), provider];
  return JSON.stringify(part);
}

type Asked = {
  policy: CellSpec["policy"];
  pretrained: string;
  room: { limitMb: number; answered: number };
  provider: CellSpec["execution"]["provider"];
};

function describe({ policy, pretrained, room, provider }: Asked, places: ModelPlaces): ModelFacts {
  const unknown = { numParameters: null, numLearning: null, family: null, maxTokens: null, memory: null, problems: [] };
  const facts: ModelFacts = { pretrained, memoryLimitMb: room.limitMb, provider, ...unknown };
  const here = readHere(pretrained, places);
  if (!here) return facts;
  if ("refusal" in here) return { ...facts, problems: [{ path: "policy.pretrained", message: here.refusal }] };
  const { family, maxTokens } = here.config.architecture;
  const numWeights = numParameters(here.config);
  const read = { ...facts, family, maxTokens, numParameters: numWeights, numLearning: numWeights };
  try {
    const lora = loraOf(policy);
    const own = readModelConfig(here.folder, policy.contextTokens);
    const halves = provider === "cpu" ? findHalvesHere(here.folder, own) : undefined;
    const config = chooseHalves({ ...own, ...(lora && { lora }) }, halves, room);
    const memory = memoryOf(config, room);
    const problems = memory.problem === null ? [] : [{ path: "execution.memoryLimitMb", message: memory.problem }];
    return { ...read, numLearning: numParameters(config), memory, problems };
  } catch (error) {
    const message = messageOf(error).replace(/^policy\.contextTokens: /, "");
    return { ...read, problems: [{ path: "policy.contextTokens", message }] };
  }
}

/** Returns the parameter counts of the cells' pretrained models, as far as this machine has the models' files. */
export function readModelSizes(
  cells: readonly { spec: Pick<CellSpec, "policy"> }[],
  places: ModelPlaces = allPlaces(),
): ModelSizes {
  const names = new Set(cells.flatMap(({ spec }) => spec.policy.pretrained ?? []));
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const here = readHere(name, places);
      return here && "config" in here ? [[name, numParameters(here.config) + numFrozen(here.config)]] : [];
    }),
  );
}

/** Half-precision format of the model's weights; read from the configuration if the weights are not yet downloaded. */
function findHalvesHere(folder: string, config: LlamaConfig): HalfFormat | undefined {
  try {
    return findHalves(folder, config);
  } catch {
    const Named = z.object({ dtype: z.string().optional(), torch_dtype: z.string().optional() });
    const { torch_dtype, dtype = torch_dtype } = Named.parse(readSmallJson(join(folder, "config.json")));
    return dtype === undefined ? undefined : halvesByName[dtype];
  }
}

const halvesByName: Readonly<Record<string, HalfFormat>> = { bfloat16: "bf16", float16: "f16" };

type Here = { folder: string; config: LlamaConfig } | { refusal: string };

/** Reads a model's configuration; undefined if it is not here. `refusal`: path forbidden or model unsupported. */
function readHere(pretrained: string, { folders, cacheFolder }: ModelPlaces): Here | undefined {
  const named = readPretrained(pretrained);
  if (named.kind === "folder" && !isAllowed(named.path, folders)) return { refusal: sayForbidden(folders) };
  const folder = findFolder(pretrained, { cacheFolder });
  if (folder === undefined || !existsSync(join(folder, "config.json"))) return undefined;
  try {
    // A link in the model's folder could lead to any file of this machine, so every file's target is checked.
    const isWhole = named.kind === "hub" || readdirSync(folder).every((name) => isAllowed(join(folder, name), folders));
    return isWhole ? { folder, config: readModelConfig(folder) } : { refusal: sayForbidden(folders) };
  } catch (error) {
    return { refusal: messageOf(error).replace(/^policy\.pretrained: /, "") };
  }
}

export function listForbidden(names: readonly string[], { folders }: ModelPlaces): Record<string, string> {
  const forbidden = names.filter((name) => {
    const named = readPretrained(name);
    return named.kind === "folder" && !isAllowed(named.path, folders);
  });
  return Object.fromEntries(forbidden.map((name) => [name, sayForbidden(folders)]));
}

const maxNamed = 5;

/** Returns the message for a path outside the folders, whether it exists or not, so that it reveals nothing. */
function sayForbidden(folders: ModelFolders): string {
  const named = folders === "any" ? [] : folders.slice(0, maxNamed);
  const those = named.length === 0 ? "there are none yet" : `they are ${named.join(", ")}`;
  return `a folder is one of the model folders that the administrator names in models.yaml, or lies in one: ${those}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
