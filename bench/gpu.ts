/**
 * The program of `bench/gpu.sh`, bundled by `packGpu.mjs`. It probes execution providers and GPUs. It trains policies
 * of three sizes on the processor and on WebGPU, from equal parameters on equal rows, and compares losses, parameters
 * and speed. Then it trains a model of PyTorch through the studio's adapter, with the first GPU leased.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { z } from "zod";
import { gradients } from "#trainer/graph/backward.ts";
import { input, matmul, sum } from "#trainer/graph/ops.ts";
import { makeResidentSession, type SessionOptions } from "#trainer/onnx/session.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import { makeParameters, numParameters, parameterShapes } from "#trainer/policy/parameters.ts";
import { deviceStore } from "#trainer/run/learning/deviceStore.ts";
import { hostStore } from "#trainer/run/learning/hostStore.ts";
import { Machine, machineMark } from "#trainer/spec/machine.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { split } from "#trainer/spec/rng.ts";
import { OptimizerSpec } from "#trainer/spec/run.ts";
import { passFeeds, passOf, passShapes } from "./gradientPass.ts";
import { listProducts, lowerQuartile } from "./trainingFloor.ts";

const here = dirname(fileURLToPath(import.meta.url));
const { values: options, positionals } = parseArgs({
  options: { short: { type: "boolean", default: false }, out: { type: "string", default: "gpu.json" } },
  allowPositionals: true,
});
const [shape] = passShapes;
const vocabularySize = 512;
const optimizerSpec = OptimizerSpec.parse({ learningRate: 1e-3, epsilon: 1e-5 });
const common = { vocabularySize, contextTokens: 160 } as const;
const large: PolicyConfig = {
  ...common,
  architecture: {
    family: "llama",
    numLayers: 9,
    width: 512,
    numHeads: 8,
    numKeyValueHeads: 8,
    headWidth: 64,
    feedForwardWidth: 1408,
    epsilon: 1e-6,
    rotary: { base: 10_000, scaling: { kind: "default" } },
    maxTokens: 160,
    isTied: true,
    biases: { queryKeyValue: false, output: false, feedForward: false },
    hasHeadNorms: false,
  },
};
const configs: readonly PolicyConfig[] = [
  { ...common, size: "nano", positions: "learned" },
  { ...common, size: "mini", positions: "learned" },
  ...(options.short ? [] : [large]),
];
/** Training on one provider ends after this many steps or seconds, but never before the third step. */
const limit = options.short ? { steps: 3, seconds: 5 } : { steps: 20, seconds: 45 };

type Trained = { losses: number[]; secondsPerStep: number; parameters: Float32Array };

const Speed = z.object({ secondsPerStep: z.number(), tokensPerSecond: z.number(), flopsPerSecond: z.number() });
const Size = z.object({
  parameters: z.number(),
  cpu: Speed,
  /** Null if WebGPU does not work here. Differences are to the processor; that of parameters is a share of the change. */
  webgpu: Speed.extend({ maxLossDifference: z.number(), updateDifference: z.number() }).nullable(),
});
const Event = z.object({ iteration: z.number().optional(), values: z.record(z.string(), z.unknown()).optional() });
const Package = z.object({ version: z.string() });
const Torch = z.object({
  says: z.string(),
  steps: z.number(),
  gpuUtilisation: z.number().nullable(),
  gpuMemoryMb: z.number().nullable(),
});
const Result = z.object({
  at: z.string(),
  processor: z.string(),
  threads: z.number(),
  node: z.string(),
  onnxruntime: z.string(),
  machine: Machine,
  /** Matrix products per second of each provider alone, in FLOP/s: the ceiling of its share. */
  ceiling: z.object({ cpu: z.number(), webgpu: z.number().nullable() }),
  sizes: z.array(Size),
  torch: z.union([Torch, z.object({ leftOut: z.string() })]),
  seconds: z.number(),
});
type Result = z.infer<typeof Result>;

if (positionals[0] === "print") print(Result.parse(JSON.parse(readFileSync(positionals[1] ?? options.out, "utf8"))));
else print(await measure());

/** Writes the file after every part, so that a run that is ended early loses only the rest. */
async function measure(): Promise<Result> {
  const startMs = performance.now();
  const machine = probe();
  const isGpu = machine.providers["webgpu"] === null;
  const threads = availableParallelism();
  const cpu: SessionOptions = { threads };
  const webgpu: SessionOptions = { executionProvider: "webgpu" };
  const result: Result = {
    at: new Date().toISOString(),
    processor: cpus()[0]?.model ?? "",
    threads,
    node: process.version,
    onnxruntime: Package.parse(
      JSON.parse(readFileSync(join(here, "node_modules/onnxruntime-node/package.json"), "utf8")),
    ).version,
    machine,
    ceiling: { cpu: await measureCeiling(cpu), webgpu: isGpu ? await measureCeiling(webgpu) : null },
    sizes: [],
    torch: { leftOut: "the time was over before it" },
    seconds: 0,
  };
  const keep = (part: string): void => {
    result.seconds = (performance.now() - startMs) / 1000;
    writeFileSync(options.out, `${JSON.stringify(result, null, 2)}\n`);
    console.error(`${result.seconds.toFixed(0)} s: ${part}`);
  };
  keep("probed");
  for (const config of configs) {
    const speed = speedOf(config);
    const onCpu = await train(config, cpu);
    const onGpu = isGpu ? await train(config, webgpu) : null;
    const start = flat(makeParameters(config, split(0, "bench")));
    result.sizes.push({
      parameters: numParameters(config),
      cpu: speed(onCpu),
      webgpu: onGpu && { ...speed(onGpu), ...compare(onCpu, onGpu, start) },
    });
    keep(`trained ${numParameters(config)} parameters`);
  }
  result.torch = runTorch(machine);
  keep("trained with PyTorch");
  return result;
}

function probe(): Machine {
  const { stdout, stderr } = spawnSync(process.execPath, [join(here, "trainer.mjs"), "--look"], { encoding: "utf8" });
  const line = stdout.split("\n").find((each) => each.startsWith(machineMark));
  if (line === undefined) throw new Error(`the trainer does not describe this machine: ${stderr}`);
  return Machine.parse(JSON.parse(line.slice(machineMark.length)));
}

/** Returns the best rate of eight products in a row, in FLOP/s, over sizes up to one that takes a fifth of a second. */
async function measureCeiling(place: SessionOptions): Promise<number> {
  let best = 0;
  for (const n of [256, 512, 1024, 2048, 4096]) {
    let product = input("x", [n, n]);
    for (let i = 0; i < 8; i++) product = matmul(product, input("w", [n, n]));
    const session = await makeResidentSession({ total: sum(product) }, {}, place);
    const store = place.executionProvider === "webgpu" ? deviceStore(place) : hostStore();
    const values = () => new Float32Array(n * n).fill(1 / n);
    const feeds = await store.hold({ x: values(), w: values() }, { x: [n, n], w: [n, n] });
    const seconds: number[] = [];
    for (let i = 0; i < 4; i++) seconds.push(await secondsOf(() => session.run(feeds)));
    const fastest = Math.min(...seconds);
    best = Math.max(best, (16 * n ** 3) / fastest);
    await session.close();
    store.release(feeds);
    await store.close();
    if (fastest > 0.2) break;
  }
  return best;
}

async function train(config: PolicyConfig, place: SessionOptions): Promise<Trained> {
  const store = place.executionProvider === "webgpu" ? deviceStore(place) : hostStore();
  const shapes = parameterShapes(config);
  const parameters = await store.hold(makeParameters(config, split(0, "bench")), shapes);
  const gradient = await store.differentiate({ ...passOf(config, shape), outputs: {} }, place);
  const optimizer = store.makeOptimizer(optimizerSpec, shapes);
  const losses: number[] = [];
  const seconds: number[] = [];
  let learned = flat({});
  const startMs = performance.now();
  for (let step = 0; step < limit.steps; step++) {
    if (step > 2 && performance.now() - startMs > 1000 * limit.seconds) break;
    const feeds = passFeeds(shape, vocabularySize, split(step, "rows"));
    const took = await secondsOf(async () => {
      const { loss, gradients: slopes } = await gradient.run({ ...parameters, ...feeds });
      losses.push(loss);
      await optimizer.step(parameters, slopes, optimizerSpec.learningRate);
    });
    // The first step compiles.
    if (step > 0) seconds.push(took);
    // Rounding grows from step to step, so parameters are compared early.
    if (step === 2) learned = flat(await store.read(parameters)).slice();
  }
  await gradient.close();
  store.release(parameters);
  await store.close();
  return { losses, secondsPerStep: lowerQuartile(seconds), parameters: learned };
}

function speedOf(config: PolicyConfig): (trained: Trained) => z.infer<typeof Speed> {
  const { loss, wrt } = passOf(config, shape);
  const products = listProducts([loss, ...gradients(loss, Object.values(wrt))]);
  const flops = products.reduce((total, product) => total + product.count * product.flops, 0);
  const numTokens = shape.numRows * shape.numTokens;
  return ({ secondsPerStep }) => ({
    secondsPerStep,
    tokensPerSecond: numTokens / secondsPerStep,
    flopsPerSecond: flops / secondsPerStep,
  });
}

function compare(onCpu: Trained, onGpu: Trained, start: Float32Array) {
  const norm = (values: Float32Array): number => Math.hypot(...blockNorms(values));
  const away = onGpu.parameters.map((x, i) => x - (onCpu.parameters[i] ?? NaN));
  const update = onCpu.parameters.map((x, i) => x - (start[i] ?? NaN));
  const differences = onGpu.losses.slice(0, 3).map((loss, i) => Math.abs(loss - (onCpu.losses[i] ?? NaN)));
  return { maxLossDifference: Math.max(...differences), updateDifference: norm(away) / norm(update) };
}

/** Norms of blocks of values, because a call takes only some thousand arguments. */
function blockNorms(values: Float32Array): number[] {
  const norms: number[] = [];
  for (let at = 0; at < values.length; at += 4096) norms.push(Math.hypot(...values.subarray(at, at + 4096)));
  return norms;
}

function flat(arrays: Readonly<Record<string, Float32Array>>): Float32Array {
  const names = Object.keys(arrays).sort();
  const all = new Float32Array(names.reduce((total, name) => total + (arrays[name]?.length ?? 0), 0));
  let at = 0;
  for (const name of names) {
    all.set(arrays[name] ?? [], at);
    at += arrays[name]?.length ?? 0;
  }
  return all;
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return (performance.now() - startMs) / 1000;
}

/** Trains with PyTorch as a launcher's job with the first GPU leased, and reads what the run's page would show. */
function runTorch({ gpus }: Machine): Result["torch"] {
  const python = process.env["ARLARENA_TORCH_PYTHON"] ?? "python3";
  const found = spawnSync(python, ["-c", "import torch; print(torch.cuda.is_available())"], { encoding: "utf8" });
  if (found.status !== 0) return { leftOut: `${python} has no torch (ARLARENA_TORCH_PYTHON names one that has)` };
  const folder = mkdtempSync(join(tmpdir(), "arlarena-gpu-"));
  try {
    const attempt = join(folder, "attempt");
    mkdirSync(attempt);
    const argv = [python, join(here, "gpuTorch.py"), options.short ? "5" : "40"];
    const job = { name: "torch", argv, folder: attempt, environment: {}, metrics: { kind: "jsonLines" }, notes: [] };
    writeFileSync(join(attempt, "external.json"), JSON.stringify(job));
    writeFileSync(
      join(folder, "spec.json"),
      JSON.stringify({ v: 1, seed: 0, environment: { id: "sokoban" }, method: methodOf("grpo") }),
    );
    const lease = gpus.length > 0 ? { CUDA_VISIBLE_DEVICES: "0" } : {};
    const adapter = [join(here, "adapter.mjs"), join(folder, "spec.json"), attempt];
    const { status, stdout, stderr } = spawnSync(process.execPath, adapter, {
      encoding: "utf8",
      env: { ...process.env, ...lease },
    });
    if (status !== 0) return { leftOut: `the job ended with ${status}: ${stderr.slice(-500)}` };
    const log = readFileSync(join(attempt, "events.jsonl"), "utf8").trim().split("\n");
    const events = log.map((line) => Event.parse(JSON.parse(line)));
    const read = (key: string): number[] => events.flatMap(({ values }) => values?.[key] ?? []).map(Number);
    const [utilisation, memory] = [read("hardware/gpuUtilisation"), read("hardware/gpuMemoryMb")];
    return {
      says: /^torch .*/m.exec(stdout)?.[0] ?? "",
      steps: Math.max(...events.map(({ iteration = 0 }) => iteration)),
      gpuUtilisation: utilisation.length > 0 ? utilisation.reduce((x, y) => x + y) / utilisation.length : null,
      gpuMemoryMb: memory.length > 0 ? Math.max(...memory) : null,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function print({ at, processor, threads, node, onnxruntime, machine, ceiling, sizes, torch, seconds }: Result): void {
  const gpus = machine.gpus.map(({ name, driver }) => `${name} (driver ${driver})`).join(", ");
  const why = machine.providers["webgpu"];
  console.log(`### GPU\n`);
  console.log(
    `\`bench/gpu.sh\`, ${at.slice(0, 10)}, ${seconds.toFixed(0)} s: ${gpus || "no GPU"}; ${processor}, ${threads} threads; Node.js ${node}, ONNX Runtime ${onnxruntime}. ${why === null ? "WebGPU works." : `WebGPU does not work: ${why}.`}\n`,
  );
  console.log("| parameters | provider | tokens per second | GFLOP/s | share of a product alone | loss | update |");
  console.log("| --- | --- | --- | --- | --- | --- | --- |");
  for (const size of sizes) {
    for (const provider of ["cpu", "webgpu"] as const) {
      const speed = size[provider];
      if (speed === null) continue;
      const share = speed.flopsPerSecond / (ceiling[provider] ?? NaN);
      const cells = [
        `${(size.parameters / 1e6).toFixed(1)} M`,
        provider,
        Math.round(speed.tokensPerSecond).toLocaleString("en"),
        Math.round(speed.flopsPerSecond / 1e9).toLocaleString("en"),
        `${Math.round(100 * share)} %`,
        "maxLossDifference" in speed ? speed.maxLossDifference.toExponential(1) : "",
        "updateDifference" in speed ? speed.updateDifference.toExponential(1) : "",
      ];
      console.log(`| ${cells.join(" | ")} |`);
    }
  }
  console.log(
    "\nOne step: gradient and AdamW over 64 rows of 40 tokens. The last two columns are the differences of WebGPU from the processor after three steps: of the loss, and of the parameters relative to their change.\n",
  );
  if ("leftOut" in torch) console.log(`PyTorch was left out: ${torch.leftOut}.`);
  else {
    const used =
      torch.gpuUtilisation === null
        ? "no GPU was leased"
        : `the leased GPU was used ${Math.round(100 * torch.gpuUtilisation)} %, with ${Math.round(torch.gpuMemoryMb ?? NaN)} MB`;
    console.log(`PyTorch through the adapter: ${torch.says}, ${torch.steps} logged steps; ${used}.`);
  }
}
