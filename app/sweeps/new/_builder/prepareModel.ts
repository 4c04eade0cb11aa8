import { findLargestGpu, noteGpuMemory, type GpuNode } from "#server/domain/fleet/nodes/machine.ts";
import type { ModelFacts } from "#server/engine/models/describeModel.ts";

export type ModelWords = ReturnType<typeof prepareModel>;

/** Returns texts about models. Facts without a memory need (invalid settings) are omitted if a model has others. */
export function prepareModels(facts: readonly ModelFacts[]): ModelWords[] {
  const isKnown = (name: string) => facts.some(({ pretrained, memory }) => pretrained === name && memory !== null);
  const listed = facts.filter(({ pretrained, memory }) => memory !== null || !isKnown(pretrained));
  return [...new Map(listed.map(prepareModel).map((words) => [words.key, words])).values()];
}

function prepareModel(facts: ModelFacts) {
  const { pretrained, memory, memoryLimitMb } = facts;
  const words = { name: nameOf(pretrained), what: describeWhat(facts) };
  const need = memory && {
    neededMb: memory.neededMb,
    limitMb: memoryLimitMb,
    text: `A run needs ${megabytes(memory.neededMb)} of memory; the limit is ${megabytes(memoryLimitMb)}.`,
    parts: describeParts(memory),
  };
  return { key: [pretrained, words.what, need?.text, need?.parts].join("\n"), ...words, memory: need };
}

/** Returns a model's short name: the last segment of a folder's path; the name of a hub's model stays whole. */
function nameOf(pretrained: string): string {
  const isFolder = /^(?:[./\\]|[A-Za-z]:)/.test(pretrained);
  return isFolder ? (pretrained.split(/[\\/]/).findLast((part) => part !== "") ?? pretrained) : pretrained;
}

const families: Readonly<Record<string, string>> = { llama: "Llama", qwen2: "Qwen2", qwen3: "Qwen3" };

function describeWhat({ family, numParameters, numLearning, maxTokens, problems }: ModelFacts): string {
  if (numParameters === null || family === null) {
    return problems.length > 0
      ? "The studio cannot train this model."
      : "The studio's server cannot read the model. The node determines the model's size and memory when a run starts.";
  }
  const learning =
    numLearning !== null && numLearning < numParameters
      ? `${formatSize(numLearning)} trainable in adapters`
      : "all trainable";
  const made = maxTokens === null ? "" : `; context of ${maxTokens.toLocaleString("en-US")} tokens`;
  return `${families[family] ?? family}, ${formatSize(numParameters)} parameters, ${learning}${made}`;
}

const halfNames = { bf16: "bfloat16", f16: "binary16" };

function describeParts(memory: NonNullable<ModelFacts["memory"]>): string {
  const { parametersMb, rowMb, contextTokens, recomputes, halves, neededMb } = memory;
  const held = halves === null ? "" : ` (base weights in ${halfNames[halves]}, as in their files)`;
  const twice = recomputes ? ", with recomputed layers" : "";
  const row = `a training row of ${contextTokens.toLocaleString("en-US")} tokens ${megabytes(rowMb)}${twice}`;
  const rest = `process and sampling ${megabytes(Math.max(0, neededMb - parametersMb - rowMb))}`;
  return `Parameters ${megabytes(parametersMb)}${held} · ${row} · ${rest}`;
}

/** Formats a number of parameters: "596 M", "1.24 B"; small numbers are written in full. */
function formatSize(count: number): string {
  const format = (x: number) => x.toLocaleString("en-US", { maximumSignificantDigits: 3 });
  if (count < 1e6) return count.toLocaleString("en-US");
  return count < 1e9 ? `${format(count / 1e6)} M` : `${format(count / 1e9)} B`;
}

function megabytes(count: number): string {
  return `${Math.round(count).toLocaleString("en-US")} MB`;
}

export function listGpuNotes(facts: readonly ModelFacts[], nodes: readonly GpuNode[]): string[] {
  const largest = findLargestGpu(nodes);
  const notes = facts.flatMap(({ pretrained, provider, memory, memoryLimitMb }) =>
    memory === null
      ? []
      : (noteGpuMemory({ name: nameOf(pretrained), provider, neededMb: memory.neededMb, memoryLimitMb }, largest) ??
        []),
  );
  return [...new Set(notes)];
}
