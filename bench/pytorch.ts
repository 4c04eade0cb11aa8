/**
 * Compares training and sampling with PyTorch, on one thread each, in alternating pairs of CPU time:
 * `ARLARENA_TORCH_PYTHON=PYTHON node bench/compiled.mjs pytorch [PAIRS 21]`. PYTHON needs torch and transformers.
 * Ratios above 1 mean that the built-in trainer is faster: medians and quartiles over pairs. Both start from the same
 * weights, and the benchmark fails where their losses differ.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { dimensionsOf, type BuiltInConfig } from "#trainer/policy/config.ts";
import { makeSampler } from "#trainer/policy/decode.ts";
import { makeParameters, numParameters, parameterShapes, type Parameters } from "#trainer/policy/parameters.ts";
import { split } from "#trainer/spec/rng.ts";
import { makePass, passFeeds, passShapes, type PassShape } from "./gradientPass.ts";

const [numRows, promptTokens, numNew] = [64, 32, 12] as const;
const [numPairs = 21] = process.argv.slice(2).map(Number);
const vocabularySize = 34;
const Answer = z.object({ seconds: z.number(), value: z.number().nullable(), version: z.string() });
type Answer = z.infer<typeof Answer>;
type Pair = { readonly ours: number; readonly theirs: number };

const folder = mkdtempSync(join(tmpdir(), "arlarena-pytorch-"));
const torch = startPython(process.env["ARLARENA_TORCH_PYTHON"] ?? "python3");
try {
  for (const size of ["nano", "micro", "mini"] as const) {
    const config = { size, vocabularySize, contextTokens: 160, positions: "learned" } as const;
    const parameters = makeParameters(config, split(0, "bench"));
    const { value, version } = await load(config, parameters);
    const [here, there] = [numParameters(config), value ?? NaN].map((count) => count.toLocaleString("en"));
    console.log(`${size}, ${here} parameters (Llama: ${there}), PyTorch ${version}`);
    for (const shape of passShapes) await reportTraining(config, parameters, shape);
    await reportSampling(config, parameters);
  }
} finally {
  torch.close();
  rmSync(folder, { recursive: true });
}

async function load(config: BuiltInConfig, parameters: Parameters): Promise<Answer> {
  const shapes = parameterShapes(config);
  const file = join(folder, "parameters.bin");
  const values = Object.keys(shapes).map((name) => Buffer.from((parameters[name] ?? new Float32Array()).buffer));
  const bytes = Buffer.concat(values);
  writeFileSync(file, bytes);
  const { numHeads, numLayers } = dimensionsOf(config);
  const { contextTokens } = config;
  const size = bytes.length / 4;
  return torch.ask({ kind: "load", file, size, shapes, numHeads, numLayers, vocabularySize, contextTokens });
}

async function reportTraining(config: BuiltInConfig, parameters: Parameters, shape: PassShape): Promise<void> {
  const { numTokens, numSelected } = shape;
  const feeds = { ...parameters, ...passFeeds(shape, vocabularySize, split(0, "rows")) };
  const session = await makePass(config, shape);
  const request = {
    kind: "train",
    tokens: inRows(feeds["tokens"], numTokens),
    targets: inRows(feeds["targets"], numSelected),
  };
  const { loss } = await session.run(feeds);
  const { value } = await torch.ask(request);
  if (!(Math.abs(loss - (value ?? NaN)) < 1e-4)) throw new Error(`losses differ: ${loss}, PyTorch ${value}`);
  const pairs = await alternate(() => session.run(feeds), request);
  await session.close();
  line(
    `gradient pass, ${shape.numRows} × ${numTokens} tokens, ${numSelected} answered`,
    pairs,
    shape.numRows * numTokens,
  );
}

/**
 * Measures sampling of batch rows with one prompt each, and of groups of eight rows that share a prompt, as at the
 * start of episodes.
 */
async function reportSampling(config: BuiltInConfig, parameters: Parameters): Promise<void> {
  const sampler = makeSampler(config, { batch: numRows, maxPromptTokens: promptTokens, maxResponseTokens: numNew });
  const rngs = Array.from({ length: numRows }, (_, i) => split(0, "row", i));
  for (const group of [1, 8]) {
    const rng = split(0, "prompts");
    const unique = Array.from({ length: numRows / group }, () =>
      Int32Array.from({ length: promptTokens }, () => rng.int(vocabularySize)),
    );
    const prompts = unique.flatMap((prompt) => Array.from({ length: group }, () => prompt));
    // The vocabulary contains no stop token, so every response reaches its full length.
    const sample = () => sampler.sample({ parameters, prompts, rngs, stopTokens: [] });
    const tokens = unique.map((prompt) => [...prompt]);
    for (const kind of ["sample", "generate"] as const) {
      const name = kind === "sample" ? "PyTorch eager" : "generate()";
      const pairs = await alternate(sample, { kind, tokens, numNew, group });
      line(`sampling, ${unique.length} prompts × ${group}, ${name}`, pairs, numRows * numNew);
    }
  }
  await sampler.close();
}

/**
 * Measures the CPU seconds per call of the built-in trainer (`ours`) and PyTorch (`theirs`), alternately. Each
 * measurement lasts a tenth of a second, or one call.
 */
async function alternate(ours: () => Promise<unknown>, theirs: Record<string, unknown>): Promise<Pair[]> {
  const timed = async (repeats: number): Promise<Pair> => {
    const start = process.cpuUsage();
    for (let i = 0; i < repeats; i++) await ours();
    const { user, system } = process.cpuUsage(start);
    const { seconds } = await torch.ask({ ...theirs, repeats });
    return { ours: (user + system) / 1e6 / repeats, theirs: seconds };
  };
  await timed(2);
  const repeats = Math.ceil(0.1 / (await timed(2)).ours);
  const pairs: Pair[] = [];
  for (let i = 0; i < numPairs; i++) pairs.push(await timed(repeats));
  return pairs;
}

function line(what: string, pairs: readonly Pair[], numTokens: number): void {
  const ratios = pairs.map(({ ours, theirs }) => theirs / ours);
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(ratios, share).toFixed(2));
  const [here, there] = [pairs.map(({ ours }) => ours), pairs.map(({ theirs }) => theirs)].map((seconds) =>
    Math.round(numTokens / quantile(seconds, 0.5)).toLocaleString("en"),
  );
  console.log(`  ${what.padEnd(46)} ${middle} (${low} to ${high})   ${here} and ${there} tokens/s`);
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((x, y) => x - y)[Math.floor(share * values.length)] ?? NaN;
}

function inRows(values: ArrayLike<number | bigint> | undefined, width: number): number[][] {
  const all = Array.from(values ?? [], Number);
  return Array.from({ length: all.length / width }, (_, row) => all.slice(row * width, (row + 1) * width));
}

/** Starts the process with PyTorch, which answers requests in order, one at a time. */
function startPython(python: string) {
  const child = spawn(python, ["bench/pytorch.py"], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(request: Record<string, unknown>): Promise<Answer> {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`${python} ended without an answer to ${String(request["kind"])}`);
      return Answer.parse(JSON.parse(value));
    },
    close: () => child.stdin.end(),
  };
}
