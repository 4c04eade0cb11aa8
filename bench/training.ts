/**
 * Measures training on one thread, and its distance from the lower bound: `node bench/compiled.mjs training [SECONDS
 * 4]`. For each policy size it prints the rate of its matrix products alone. It prints tokens per second of a
 * gradient pass (loss of the responses, forward and backward), with the fraction of that rate. It prints tokens per
 * second of sampling, and the time to the first pass. It then prints the seconds of each stage of whole iterations.
 * Tokens include prompts, and no batch row is padded. Passes are measured in CPU time, the time on a free core; wall
 * time depends on this machine's load. Numbers are lower quartiles; for matrix products, the best run.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { gradients } from "#trainer/graph/backward.ts";
import type { SessionOptions } from "#trainer/onnx/session.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import { makeSampler } from "#trainer/policy/decode.ts";
import { makeParameters, numParameters } from "#trainer/policy/parameters.ts";
import { RunEvent } from "#trainer/spec/event.ts";
import { split } from "#trainer/spec/rng.ts";
import { makePass, passFeeds, passOf, type PassShape, passShapes } from "./gradientPass.ts";
import { listProducts, lowerQuartile, secondsOf } from "./trainingFloor.ts";

type Seconds = { readonly wall: number; readonly cpu: number };
const [batch, maxPromptTokens, maxResponseTokens] = [64, 32, 12] as const;
const [seconds = 4] = process.argv.slice(2).map(Number);
const vocabularySize = 34;

for (const size of ["nano", "micro", "mini"] as const) {
  const config: PolicyConfig = { size, vocabularySize, contextTokens: 160, positions: "learned" };
  console.log(`${size}, ${numParameters(config).toLocaleString("en")} parameters`);
  for (const shape of passShapes) await reportTraining(config, shape);
  await reportSampling(config);
  await reportStart(config);
}
reportStages();

async function reportTraining(config: PolicyConfig, shape: PassShape): Promise<void> {
  const { numRows, numTokens, numSelected } = shape;
  const { loss, wrt } = passOf(config, shape);
  const products = listProducts([loss, ...gradients(loss, Object.values(wrt))]);
  let [flops, floor, slowest, fastest] = [0, 0, Infinity, 0];
  for (const product of products) {
    const productSeconds = await secondsOf(product);
    flops += product.count * product.flops;
    floor += product.count * productSeconds;
    slowest = Math.min(slowest, product.flops / productSeconds);
    fastest = Math.max(fastest, product.flops / productSeconds);
  }
  const step = await measureTraining(config, shape);
  console.log(`  gradient pass, ${numRows} rows of ${numTokens} tokens, ${numSelected} of them responses`);
  line(
    `ceiling of its ${products.length} kinds of product (from ${giga(slowest)} to ${giga(fastest)})`,
    giga(flops / floor),
  );
  line("reached", giga(flops / step.cpu));
  line("fraction of the ceiling", `${Math.round((100 * floor) / step.cpu)} %`);
  line("tokens by CPU time / wall time", `${rate(numRows * numTokens, step)} per second`);
}

async function reportSampling(config: PolicyConfig): Promise<void> {
  const rng = split(0, "bench sampling");
  const sampler = makeSampler(config, { batch, maxPromptTokens, maxResponseTokens });
  const parameters = makeParameters(config, rng);
  const prompts = Array.from({ length: batch }, () =>
    Int32Array.from({ length: maxPromptTokens }, () => rng.int(vocabularySize)),
  );
  const rngs = prompts.map((_, i) => split(0, "row", i));
  // The vocabulary contains no stop token, so every response reaches its full length.
  const stopTokens: number[] = [];
  const cost = await secondsPerCall(() => sampler.sample({ parameters, prompts, rngs, stopTokens }));
  await sampler.close();
  console.log(
    `  sampling, ${batch} different prompts of ${maxPromptTokens} tokens, ${maxResponseTokens} new ones each`,
  );
  line("new tokens by CPU time / wall time", `${rate(batch * maxResponseTokens, cost)} per second`);
}

/** Measures and prints the time to a compiled gradient graph, without a cache and with a filled cache. */
async function reportStart(config: PolicyConfig): Promise<void> {
  const cacheFolder = mkdtempSync(join(tmpdir(), "arlarena-start-"));
  const timed = async (options: SessionOptions): Promise<number> => {
    const start = performance.now();
    await (await makePass(config, passShapes[0], options)).close();
    return performance.now() - start;
  };
  const times: { plain: number[]; cached: number[] } = { plain: [], cached: [] };
  await timed({ cacheFolder });
  for (let i = 0; i < 8; i++) {
    times.plain.push(await timed({}));
    times.cached.push(await timed({ cacheFolder }));
  }
  rmSync(cacheFolder, { recursive: true });
  const [plain, cached] = [lowerQuartile(times.plain), lowerQuartile(times.cached)];
  console.log("  building and compiling the gradient graph");
  line("anew / from the cache", `${Math.round(plain)} / ${Math.round(cached)} ms`);
}

function reportStages(): void {
  const values = measureStages(6);
  console.log(`whole iterations of Quick look (nano, GRPO), ${Math.round(values.get("rollout/numRows") ?? NaN)} rows`);
  for (const stage of ["rollout", "logProbs", "update", "iteration"]) {
    line(stage, `${((values.get(`time/${stage}Ms`) ?? NaN) / 1000).toFixed(2)} s`);
  }
  line("sampled tokens", perSecond(values.get("throughput/sampledTokensPerSecond")));
  line("trained tokens", perSecond(values.get("throughput/trainedTokensPerSecond")));
  line("padding", `${(100 * (values.get("update/paddingFraction") ?? NaN)).toFixed(1)} %`);
}

async function measureTraining(config: PolicyConfig, shape: PassShape): Promise<Seconds> {
  const rng = split(0, "bench");
  const profile = process.env["PROFILE"];
  const session = await makePass(config, shape, profile ? { profileFilePrefix: profile } : {});
  const feeds = { ...makeParameters(config, rng), ...passFeeds(shape, vocabularySize, rng) };
  const cost = await secondsPerCall(() => session.run(feeds));
  await session.close();
  return cost;
}

/** Returns the lower quartiles of wall and CPU time per call, over some seconds of calls after a warm-up. */
async function secondsPerCall(call: () => Promise<unknown>): Promise<Seconds> {
  for (let i = 0; i < 3; i++) await call();
  const samples: Seconds[] = [];
  for (const end = performance.now() + 1000 * seconds; performance.now() < end;) {
    const [startMs, startCpu] = [performance.now(), process.cpuUsage()];
    await call();
    const { user, system } = process.cpuUsage(startCpu);
    samples.push({ wall: (performance.now() - startMs) / 1e3, cpu: (user + system) / 1e6 });
  }
  return { wall: lowerQuartile(samples.map(({ wall }) => wall)), cpu: lowerQuartile(samples.map(({ cpu }) => cpu)) };
}

function line(what: string, value: string): void {
  console.log(`    ${what.padEnd(54)} ${value}`);
}

function giga(flopsPerSecond: number): string {
  return `${Math.round(flopsPerSecond / 1e9)} GFLOP/s`;
}

function rate(tokens: number, { cpu, wall }: Seconds): string {
  return `${perSecond(tokens / cpu)} / ${perSecond(tokens / wall)}`;
}

function perSecond(x: number | undefined): string {
  return Math.round(x ?? NaN).toLocaleString("en");
}

/**
 * Returns lower quartiles by metric key, such as seconds by stage. The first iteration, in which graphs are compiled,
 * is left out. A separate process trains the first method of the Quick look preset with few demonstrations.
 */
function measureStages(numIterations: number): ReadonlyMap<string, number> {
  const folder = mkdtempSync(join(tmpdir(), "arlarena-stages-"));
  try {
    writeFileSync(join(folder, "spec.json"), JSON.stringify(quickLook(numIterations)));
    const argv = ["--import", "tsx", "trainer/run/main.ts", join(folder, "spec.json"), folder];
    const { status, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8" });
    if (status !== 0) throw new Error(`the trainer exited with ${status}: ${stderr}`);
    const lines = readFileSync(join(folder, "events.jsonl"), "utf8").trim().split("\n");
    const metrics = lines.flatMap((line) => {
      const event = RunEvent.parse(JSON.parse(line));
      return event.type === "metrics" && "time/updateMs" in event.values && event.iteration > 1 ? [event.values] : [];
    });
    const keys = new Set(metrics.flatMap((values) => Object.keys(values)));
    return new Map(
      [...keys].map((key) => [key, lowerQuartile(metrics.flatMap((values) => numbersOf(values[key])))] as const),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function quickLook(iterations: number) {
  const plan = parsePlan(readFileSync("public/presets/quick-look.yaml", "utf8"));
  const spec = expandPlan(plan).cells[0]?.spec;
  if (!spec) throw new Error("the Quick look preset has no cell");
  return {
    v: 1,
    ...spec,
    seed: 0,
    initialisation: { ...spec.initialisation, numEpisodes: 100, epochs: 3 },
    evaluation: { ...spec.evaluation, every: 1000 },
    budget: { ...spec.budget, iterations },
  };
}

function numbersOf(value: unknown): number[] {
  return typeof value === "number" ? [value] : [];
}
