/**
 * Conversations of eight turns, each turn's prompt all that was said before: read again, or remembered from turn to turn:
 * `node bench/compiled.mjs transcript [PAIRS 5]`. Random weights; processor time, in alternating pairs.
 */
import type { LlamaConfig } from "#trainer/policy/config.ts";
import { makeSampler, type Memory } from "#trainer/policy/decode.ts";
import { makeParameters, numParameters } from "#trainer/policy/parameters.ts";
import { split } from "#trainer/spec/rng.ts";

const [numPairs = 5] = process.argv.slice(2).map(Number);
const [numRows, numTurns, numRead, numWritten] = [4, 8, 96, 24] as const;
const contextTokens = numTurns * (numRead + numWritten);
const config: LlamaConfig = {
  vocabularySize: 8000,
  contextTokens,
  architecture: {
    family: "qwen3",
    numLayers: 8,
    width: 512,
    numHeads: 8,
    numKeyValueHeads: 4,
    headWidth: 64,
    feedForwardWidth: 1408,
    epsilon: 1e-6,
    rotary: { base: 1e6, scaling: { kind: "default" } },
    maxTokens: 2048,
    isTied: true,
    biases: { queryKeyValue: false, output: false, feedForward: false },
    hasHeadNorms: true,
  },
};
const parameters = makeParameters(config, split(0, "bench"));
const limits = {
  batch: numRows,
  maxPromptTokens: contextTokens - numWritten,
  maxResponseTokens: numWritten,
  keptBytes: 1e9,
};
const sampler = makeSampler(config, limits);

console.log(
  `${(numParameters(config) / 1e6).toFixed(1)} M parameters, ${numRows} conversations of ${numTurns} turns, ${numRead} tokens read and ${numWritten} written in each`,
);
await converse(true);
await converse(false);
const ratios: number[] = [];
for (let pair = 0; pair < numPairs; pair++) {
  const [again, remembered] = [await converse(false), await converse(true)];
  if (again.text !== remembered.text) throw new Error("both must write the same");
  ratios.push(again.seconds / remembered.seconds);
  console.log(
    `  read again ${again.seconds.toFixed(2)} s, remembered ${remembered.seconds.toFixed(2)} s: ${(ratios.at(-1) ?? NaN).toFixed(2)} times as fast`,
  );
}
console.log(`  median ${ratios.sort((x, y) => x - y)[Math.floor(numPairs / 2)]?.toFixed(2)}`);
await sampler.close();

/** Seconds of processor time, and what was written. */
async function converse(isRemembered: boolean): Promise<{ seconds: number; text: string }> {
  const start = process.cpuUsage();
  const memories = Array.from({ length: numRows }, (): Memory => ({}));
  let texts = memories.map(() => new Int32Array());
  for (let turn = 0; turn < numTurns; turn++) {
    const prompts = texts.map((text, row) => {
      const rng = split(1, "read", turn, row);
      return Int32Array.of(...text, ...Array.from({ length: numRead }, () => rng.int(config.vocabularySize)));
    });
    const rngs = prompts.map((_, row) => split(2, "row", turn, row));
    const request = { parameters, prompts, rngs, stopTokens: [], temperature: 0, ...(isRemembered && { memories }) };
    const responses = await sampler.sample(request);
    texts = prompts.map((prompt, row) => Int32Array.of(...prompt, ...(responses[row]?.tokens ?? [])));
  }
  const { user, system } = process.cpuUsage(start);
  return { seconds: (user + system) / 1e6, text: texts.map((text) => text.join(" ")).join("\n") };
}
