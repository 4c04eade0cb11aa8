import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { HalfFormat } from "#trainer/graph/half.ts";
import { numFrozen, numParameters } from "#trainer/policy/parameters.ts";
import { findFolder } from "#trainer/policy/hub/findModel.ts";
import type { LlamaConfig } from "#trainer/policy/config.ts";
import { readModelConfig } from "#trainer/policy/llama/readModel.ts";
import { loraOf } from "#trainer/policy/llama/targets.ts";
import { findHalves } from "#trainer/policy/llama/weights.ts";
import { chooseHalves, memoryOf, type MemoryNeed } from "#trainer/run/learning/memory.ts";
import { mostRowTokens } from "#trainer/spec/rowTokens.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import type { InputIssue } from "#server/domain/errors.ts";
import type { CheckCell } from "#server/domain/sweep/conflicts.ts";
import type { ModelSizes } from "#server/domain/sweep/estimate.ts";

/** A pretrained model of a plan as this machine knows it. */
export type ModelFacts = {
  pretrained: string;
  /** Null where its configuration cannot be read here: it may be there on the node. */
  numParameters: number | null;
  /** Those that learn: all, or adapters beside them. */
  numLearning: number | null;
  /** "llama", "qwen2" or "qwen3". */
  family: string | null;
  /** Longest text that it was made for, in tokens. */
  maxTokens: number | null;
  /** What the cell allows a run, and what computes it. */
  memoryLimitMb: number;
  provider: string;
  /** What the trainer would plan with; null where that is unknown. */
  memory: MemoryNeed | null;
  problems: readonly InputIssue[];
};

type Specified = Pick<CellSpec, "policy" | "execution" | "environment" | "rollout">;

/** The pretrained models of some cells, each combination of model, adapters, context and memory limit once. */
export function describeModels(specs: readonly Specified[]): ModelFacts[] {
  const look = makeLook();
  return [...new Set(specs.flatMap((spec) => look(spec) ?? []))];
}

/** What a launch refuses of cells of the built-in trainer: models of which this machine can read that they do not fit. */
export function makeModelCheck(): CheckCell {
  const look = makeLook();
  return (cell) => (cell.trainer === undefined ? (look(cell)?.problems ?? []) : []);
}

/** Looks at each combination once: cells of a plan share all but the few parts that they vary in. */
function makeLook(): (spec: Specified) => ModelFacts | undefined {
  const known = new Map<string, ModelFacts>();
  return ({ policy, execution: { memoryLimitMb, provider }, ...rows }) => {
    const { pretrained, contextTokens } = policy;
    if (pretrained === undefined) return undefined;
    const room = { limitMb: memoryLimitMb, answered: mostRowTokens(rows) };
    const key = JSON.stringify([pretrained, contextTokens, loraOf(policy), room, provider]);
    const facts = known.get(key) ?? describe({ policy, pretrained, room, provider });
    known.set(key, facts);
    return facts;
  };
}

type Asked = {
  policy: CellSpec["policy"];
  pretrained: string;
  room: { limitMb: number; answered: number };
  provider: CellSpec["execution"]["provider"];
};

function describe({ policy, pretrained, room, provider }: Asked): ModelFacts {
  const unknown = { numParameters: null, numLearning: null, family: null, maxTokens: null, memory: null, problems: [] };
  const facts: ModelFacts = { pretrained, memoryLimitMb: room.limitMb, provider, ...unknown };
  const here = readHere(pretrained);
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

/** Parameters of the pretrained models of some cells, of those that this machine can read. */
export function readModelSizes(cells: readonly { spec: Pick<CellSpec, "policy"> }[]): ModelSizes {
  const names = new Set(cells.flatMap(({ spec }) => spec.policy.pretrained ?? []));
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const here = readHere(name);
      return here && "config" in here ? [[name, numParameters(here.config) + numFrozen(here.config)]] : [];
    }),
  );
}

/** Where the weights are not here yet, as the configuration says. */
function findHalvesHere(folder: string, config: LlamaConfig): HalfFormat | undefined {
  try {
    return findHalves(folder, config);
  } catch {
    const Named = z.object({ dtype: z.string().optional(), torch_dtype: z.string().optional() });
    const { torch_dtype, dtype = torch_dtype } = Named.parse(
      JSON.parse(readFileSync(join(folder, "config.json"), "utf8")),
    );
    return dtype === undefined ? undefined : halvesByName[dtype];
  }
}

const halvesByName: Readonly<Record<string, HalfFormat>> = { bfloat16: "bf16", float16: "f16" };

type Here = { folder: string; config: LlamaConfig } | { refusal: string };

/** In a folder of this machine, or in its cache of a hub's models; a configuration that is there and cannot be computed with is refused. */
function readHere(pretrained: string): Here | undefined {
  const folder = findFolder(pretrained);
  if (folder === undefined || !existsSync(join(folder, "config.json"))) return undefined;
  try {
    return { folder, config: readModelConfig(folder) };
  } catch (error) {
    return { refusal: messageOf(error).replace(/^policy\.pretrained: /, "") };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
