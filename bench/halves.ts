/**
 * Memory and time of an adapted model whose frozen matrices are held in single precision, in bfloat16 and in binary16: a
 * gradient pass over one row, and a token of several rows. 134.5 M parameters in the shape of SmolLM2, random weights:
 * `npx tsx bench/halves.ts`. Each way in a process of its own.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { HalfFormat } from "#trainer/graph/half.ts";
import { input, mul, neg, sum } from "#trainer/graph/ops.ts";
import { numElements } from "#trainer/graph/shape.ts";
import { globalNorm } from "#trainer/objective/optimizer.ts";
import { makeSession, type Feeds } from "#trainer/onnx/session.ts";
import type { LlamaConfig } from "#trainer/policy/config.ts";
import { stepGraph } from "#trainer/policy/decodeGraphs.ts";
import { makeGradientSession } from "#trainer/policy/gradientSession.ts";
import { makeLora } from "#trainer/policy/llama/lora.ts";
import { frozenShapes, learningInputs, parameterInputs, storedType } from "#trainer/policy/parameters.ts";
import { selectionInputs, tokenLogProbs, toLogits, transformer } from "#trainer/policy/transformer.ts";
import { split } from "#trainer/spec/rng.ts";
import { passFeeds } from "./gradientPass.ts";

const plain: LlamaConfig = {
  vocabularySize: 49_152,
  contextTokens: 1024,
  architecture: {
    family: "llama",
    numLayers: 30,
    width: 576,
    numHeads: 9,
    numKeyValueHeads: 3,
    headWidth: 64,
    feedForwardWidth: 1536,
    epsilon: 1e-5,
    rotary: { base: 1e5, scaling: { kind: "default" } },
    maxTokens: 8192,
    isTied: true,
    biases: { queryKeyValue: false, output: false, feedForward: false },
    hasHeadNorms: false,
  },
  lora: { rank: 8, alpha: 16, targets: ["query", "value"] },
};
const [numTokens, numSelected, cacheTokens] = [512, 128, 512];
const rowCounts = [1, 16, 64];
const Figures = z.object({
  frozenMb: z.number(),
  peakMb: z.number(),
  passMs: z.number(),
  tokenMs: z.array(z.number()),
  norm: z.number(),
});

async function measure(halves: HalfFormat | undefined): Promise<z.infer<typeof Figures>> {
  const config: LlamaConfig = { ...plain, ...(halves && { halves }) };
  const started = statusMb("VmRSS");
  const frozen = makeFrozen(config);
  const options = { frozen: () => Promise.resolve(frozen), returnsMemory: true };
  const frozenMb = statusMb("VmRSS") - started;
  const adapters = makeLora(config, config.lora ?? { rank: 1, alpha: 1, targets: [] }, split(1, "adapters"));

  const shape = { numRows: 1, numTokens, numSelected };
  const wrt = parameterInputs(config);
  const network = { parameters: wrt, config };
  const { hidden, residuals } = transformer(
    network,
    input("tokens", [1, numTokens], "i64"),
    selectionInputs(1, numSelected),
  );
  const { logProbs } = tokenLogProbs(toLogits(network, hidden), input("targets", [1, numSelected], "i64"));
  const loss = neg(sum(mul(logProbs, input("weights", [1, numSelected]))));
  const graph = { loss, wrt: learningInputs(wrt, config), outputs: {}, kept: residuals };
  const session = await makeGradientSession(graph, options);
  const feeds = { ...adapters, ...passFeeds(shape, config.vocabularySize, split(1, "feeds")) };
  let norm = 0;
  writeFileSync("/proc/self/clear_refs", "5");
  const passMs = await timed(5, async () => {
    norm = globalNorm(Object.values((await session.run(feeds)).gradients));
  });
  const peakMb = statusMb("VmHWM") - started;
  await session.close();

  const tokenMs: number[] = [];
  for (const numRows of rowCounts) tokenMs.push(await timeToken(config, numRows, { adapters, options }));
  return { frozenMb, peakMb, passMs, tokenMs, norm };
}

type Given = { adapters: Feeds; options: Parameters<typeof makeSession>[1] };

async function timeToken(config: LlamaConfig, numRows: number, { adapters, options }: Given): Promise<number> {
  const session = await makeSession(stepGraph(config, numRows, cacheTokens), options);
  const { numLayers, numKeyValueHeads, headWidth } = config.architecture;
  const cacheShape = [numRows, numKeyValueHeads, cacheTokens, headWidth];
  const caches = Array.from({ length: numLayers }, (_, i) => [`keys${i}`, `values${i}`]).flat();
  const feeds = {
    ...adapters,
    ...Object.fromEntries(caches.map((name) => [name, new Float32Array(numElements(cacheShape))])),
    tokens: new Int32Array(numRows).fill(7),
    tokenPositions: new Int32Array(numRows).fill(cacheTokens),
    mask: new Float32Array(numRows * cacheTokens),
  };
  const ms = await timed(5, async () => void (await session.run(feeds)));
  await session.close();
  return ms;
}

/** Small numbers of both signs. In 16 bits they are other ones than in 32: only their cost is compared. */
function makeFrozen(config: LlamaConfig): Record<string, Float32Array | Uint16Array> {
  const rng = split(1, "frozen");
  return Object.fromEntries(
    Object.entries(frozenShapes(config)).map(([name, shape]) => {
      const format = storedType(config, name, shape);
      const size = numElements(shape);
      const [low, high] = format === "bf16" ? [0x3c00, 0x3d00] : [0x2400, 0x2800];
      return format === "f32"
        ? [name, new Float32Array(size).map(() => 0.02 * (2 * rng.next() - 1))]
        : [
            name,
            new Uint16Array(size).map(
              () => (low + Math.floor((high - low) * rng.next())) | (rng.next() < 0.5 ? 0x8000 : 0),
            ),
          ];
    }),
  );
}

/** Median milliseconds of processor time; what a run leaves is collected outside of it. */
async function timed(times: number, run: () => Promise<void>): Promise<number> {
  const taken: number[] = [];
  for (let i = 0; i <= times; i++) {
    const start = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(start);
    if (i > 0) taken.push((user + system) / 1000);
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  return taken.toSorted((a, b) => a - b)[Math.floor(times / 2)] ?? NaN;
}

function statusMb(key: string): number {
  const [, kilobytes = ""] = new RegExp(`${key}:\\s+(\\d+)`).exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return (Number(kilobytes) * 1024) / 1e6;
}

const [, , way] = process.argv;
if (way !== undefined) console.log(JSON.stringify(await measure(way === "bf16" || way === "f16" ? way : undefined)));
else {
  const path = fileURLToPath(import.meta.url);
  for (const one of ["f32", "bf16", "f16"]) {
    const command = ["--expose-gc", "--import", "tsx", path, one];
    const figures = Figures.parse(JSON.parse(execFileSync(process.execPath, command).toString()));
    const tokens = rowCounts.map((rows, i) => `${rows} rows ${figures.tokenMs[i]?.toFixed(0)} ms`).join(", ");
    console.log(
      `${one}: weights ${figures.frozenMb.toFixed(0)} MB, peak of a pass ${figures.peakMb.toFixed(0)} MB, ` +
        `a pass ${figures.passMs.toFixed(0)} ms, a token of ${tokens}`,
    );
  }
}
