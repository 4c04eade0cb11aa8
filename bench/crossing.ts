/**
 * Counts the bytes moved between this process and a device in one step of training and one of sampling, with
 * parameters in this process or on the device. `node bench/compiled.mjs crossing`, on a machine with WebGPU. Inputs
 * and outputs are counted at every run of a session. Copies within a session's run are read from ONNX Runtime's
 * profile.
 */
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { SessionOptions } from "#trainer/onnx/session.ts";
import { makeSampler } from "#trainer/policy/decode.ts";
import { makeParameters, numParameters, parameterShapes, type Weights } from "#trainer/policy/parameters.ts";
import { deviceStore } from "#trainer/run/learning/deviceStore.ts";
import { hostStore } from "#trainer/run/learning/hostStore.ts";
import type { Store } from "#trainer/run/learning/store.ts";
import { split } from "#trainer/spec/rng.ts";
import { passFeeds, passOf, passShapes } from "./gradientPass.ts";

const executionProvider = "webgpu";
const vocabularySize = 34;
const [numRows, promptTokens, numNew] = [64, 32, 12] as const;
const optimizer = { learningRate: 1e-3, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradientNorm: 1 };
const folder = mkdtempSync(join(tmpdir(), "arlarena-crossing-"));
const Profile = z.array(
  z.object({
    name: z.string(),
    args: z.looseObject({ op_name: z.string().optional(), output_size: z.string().optional() }).optional(),
  }),
);

try {
  for (const size of ["nano", "micro", "mini"] as const) {
    const config = { size, vocabularySize, contextTokens: 160, positions: "learned" } as const;
    const [shapes, arrays] = [parameterShapes(config), makeParameters(config, split(0, "bench"))];
    console.log(`${size}, ${numParameters(config).toLocaleString("en")} parameters`);
    for (const place of ["this process", "device"] as const) {
      const traffic = { toDevice: 0, fromDevice: 0 };
      const options = { executionProvider, traffic };
      const store = place === "device" ? deviceStore(options) : hostStore();
      const weights = await store.hold(structuredClone(arrays), shapes);
      const count = async (what: string, steps: number, act: () => Promise<unknown>): Promise<void> => {
        const before = { ...traffic };
        await act();
        const moved = [traffic.toDevice - before.toDevice, traffic.fromDevice - before.fromDevice];
        const [up = "", down = ""] = moved.map((bytes) =>
          Math.round(bytes / steps)
            .toLocaleString("en")
            .padStart(12),
        );
        console.log(`  ${what.padEnd(34)} ${place.padEnd(13)} ${up} bytes there, ${down} back`);
      };
      const step = makeStep({ config, store, options, weights });
      await step.run();
      await count("a step of 64 × 40 tokens, twice", 1, () => step.run());
      await step.close();
      const sampler = makeSampler(
        config,
        { batch: numRows, maxPromptTokens: promptTokens, maxResponseTokens: numNew },
        options,
      );
      // With a noise function, logits, sampling and cache are computed in this process too.
      const noises =
        place === "device" ? {} : { noises: Array.from({ length: numRows }, () => (x: Float32Array) => x) };
      const prompts = Array.from({ length: numRows }, (_, i) =>
        Int32Array.from({ length: promptTokens }, (__, t) => (i * t) % vocabularySize),
      );
      const rngs = prompts.map((_, i) => split(0, "row", i));
      await count("a token of 64 rows", numNew, () =>
        sampler.sample({ parameters: weights, prompts, rngs, stopTokens: [], ...noises }),
      );
      await sampler.close();
      store.release(weights);
      await store.close();
    }
    console.log(`  copied within a gradient pass: ${await copiedWithin(config)} bytes`);
  }
} finally {
  rmSync(folder, { recursive: true });
}

type Parts = { config: Parameters<typeof passOf>[0]; store: Store; options: SessionOptions; weights: Weights };

/** Makes an optimizer step: two micro-batches, the sum of their gradients, the gradient norm, and AdamW. */
function makeStep({ config, store, options, weights }: Parts) {
  const [shape] = passShapes;
  const feeds = passFeeds(shape, vocabularySize, split(0, "rows"));
  const session = store.differentiate({ ...passOf(config, shape), outputs: {} }, options);
  const adamW = store.makeOptimizer(optimizer, parameterShapes(config));
  return {
    async run() {
      const pass = async (): Promise<Weights> => (await (await session).run({ ...weights, ...feeds })).gradients;
      const total = await store.add(await store.add(undefined, await pass()), await pass());
      await adamW.step(weights, total, optimizer.learningRate);
    },
    close: async () => (await session).close(),
  };
}

/** Counts the copy operators that ONNX Runtime inserts between CPU and device. */
async function copiedWithin(config: Parts["config"]): Promise<string> {
  const [shape] = passShapes;
  const options = { executionProvider, profileFilePrefix: join(folder, "profile") };
  const session = await hostStore().differentiate({ ...passOf(config, shape), outputs: {} }, options);
  await session.run({
    ...makeParameters(config, split(0, "bench")),
    ...passFeeds(shape, vocabularySize, split(0, "rows")),
  });
  await session.close();
  const [file = ""] = readdirSync(folder);
  const events = Profile.parse(JSON.parse(readFileSync(join(folder, file), "utf8")));
  rmSync(join(folder, file));
  const copies = events.filter(
    ({ name, args }) => name.endsWith("_kernel_time") && args?.op_name?.startsWith("Memcpy"),
  );
  return copies.reduce((bytes, { args }) => bytes + Number(args?.output_size ?? 0), 0).toLocaleString("en");
}
