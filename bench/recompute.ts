/**
 * Peak memory and time of gradient passes with all activations held and with layers computed a second time: one row of a
 * Qwen3 of 27.7 M parameters, random weights, a quarter of the row a response: `npx tsx bench/recompute.ts`. Each way in a
 * process of its own.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { input, mul, neg, sum } from "#trainer/graph/ops.ts";
import { globalNorm } from "#trainer/objective/optimizer.ts";
import type { LlamaConfig } from "#trainer/policy/config.ts";
import { makeGradientSession } from "#trainer/policy/gradientSession.ts";
import { makeParameters, numParameters, parameterInputs } from "#trainer/policy/parameters.ts";
import { selectionInputs, tokenLogProbs, toLogits, transformer } from "#trainer/policy/transformer.ts";
import { split } from "#trainer/spec/rng.ts";
import { passFeeds } from "./gradientPass.ts";

const config: LlamaConfig = {
  vocabularySize: 8000,
  contextTokens: 2048,
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

type Measured = { peakMb: number; afterMb: number; ms: number; norm: number };

/** Everything held, in memory that the session keeps; everything held; layers computed a second time. */
const ways = ["kept", "held", "recomputed"] as const;

/**
 * In this process: of five passes what was held at the peak and after them, beside what was there before and one set of
 * gradients, and the median processor time.
 */
async function measure(numTokens: number, way: string): Promise<Measured> {
  const shape = { numRows: 1, numTokens, numSelected: numTokens / 4 };
  const { residuals, ...graph } = lossOf(shape);
  const kept = way === "recomputed" ? residuals : [];
  const session = await makeGradientSession({ ...graph, outputs: {}, kept }, { returnsMemory: way !== "kept" });
  const parameters = makeParameters(config, split(1, "parameters"));
  const feeds = { ...parameters, ...passFeeds(shape, config.vocabularySize, split(1, "feeds")) };
  const gradientMb = (4 * numParameters(config)) / 1e6;
  globalThis.gc?.();
  writeFileSync("/proc/self/clear_refs", "5");
  const before = statusMb("VmRSS") + gradientMb;
  const times: number[] = [];
  let norm = 0;
  for (let i = 0; i < 5; i++) {
    const start = process.cpuUsage();
    const { gradients } = await session.run(feeds);
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1000);
    norm = globalNorm(Object.values(gradients));
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  const after = { peakMb: statusMb("VmHWM") - before, afterMb: statusMb("VmRSS") - before };
  return { ...after, ms: times.toSorted((a, b) => a - b)[2] ?? NaN, norm };
}

function lossOf({ numTokens, numSelected }: { numTokens: number; numSelected: number }) {
  const wrt = parameterInputs(config);
  const network = { parameters: wrt, config };
  const tokens = input("tokens", [1, numTokens], "i64");
  const { hidden, residuals } = transformer(network, tokens, selectionInputs(1, numSelected));
  const { logProbs } = tokenLogProbs(toLogits(network, hidden), input("targets", [1, numSelected], "i64"));
  return { loss: neg(sum(mul(logProbs, input("weights", [1, numSelected])))), wrt, residuals };
}

function statusMb(key: string): number {
  const [, kilobytes = ""] = new RegExp(`${key}:\\s+(\\d+)`).exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return (Number(kilobytes) * 1024) / 1e6;
}

const [, , numTokens, way = ""] = process.argv;
if (numTokens !== undefined) console.log(JSON.stringify(await measure(Number(numTokens), way)));
else {
  const Figures = z.object({ peakMb: z.number(), afterMb: z.number(), ms: z.number(), norm: z.number() });
  const path = fileURLToPath(import.meta.url);
  for (const tokens of [256, 512, 1024]) {
    for (const one of ways) {
      const command = ["--expose-gc", "--import", "tsx", path, `${tokens}`, one];
      const { peakMb, afterMb, ms, norm } = Figures.parse(
        JSON.parse(execFileSync(process.execPath, command).toString()),
      );
      const memory = `${peakMb.toFixed(0)} MB at the peak, ${afterMb.toFixed(0)} after`;
      console.log(`${tokens} tokens, ${one}: ${memory}, ${ms.toFixed(0)} ms of processor time, ‖∇‖ ${norm}`);
    }
  }
}
