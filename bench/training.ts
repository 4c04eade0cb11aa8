/**
 * Tokens per second of training (forward, backward and all gradients of a next-token loss) and of sampling, on one
 * thread: `npx tsx bench/training.ts`. B·T counts prompt tokens, and no row is padded.
 * Wall time is what this machine gave; CPU time is what a free core gives, and the figure to compare on a busy machine.
 */
import { input, maskedMean, neg } from "#trainer/graph/ops.ts";
import { makeSampler } from "#trainer/policy/decode.ts";
import { makeGradientSession } from "#trainer/policy/gradientSession.ts";
import { makeParameters, numParameters, parameterInputs } from "#trainer/policy/parameters.ts";
import { tokenLogProbs, transformerLogits } from "#trainer/policy/transformer.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import { split } from "#trainer/spec/rng.ts";

/** Rows × tokens of one gradient pass, and the words to choose from: long rows, and those of the Quick look preset. */
const shapes = [
  { numRows: 16, numTokens: 128, vocabularySize: 128 },
  { numRows: 64, numTokens: 40, vocabularySize: 34 },
] as const;
type TrainingShape = (typeof shapes)[number];
const [batch, maxPromptTokens, maxResponseTokens] = [32, 96, 32] as const;
type Seconds = { readonly wall: number; readonly cpu: number };

for (const size of ["nano", "micro"] as const) {
  const config: PolicyConfig = { size, vocabularySize: 128, contextTokens: 256 };
  console.log(`${size}, ${numParameters(config)} parameters, one thread`);
  for (const shape of shapes) {
    const { numRows, numTokens } = shape;
    report(`training, ${numRows} × ${numTokens}`, numRows * numTokens, await measureTraining(config, shape));
  }
  const sampling = await measureSampling(config);
  report("sampling, new tokens", batch * maxResponseTokens, sampling);
  report("sampling, prompts included", batch * (maxPromptTokens + maxResponseTokens), sampling);
}

function report(title: string, tokens: number, { wall, cpu }: Seconds): void {
  const rate = (seconds: number): string => Math.round(tokens / seconds).toLocaleString("en");
  console.log(`  ${title}: ${rate(wall)} tokens/s by wall time, ${rate(cpu)} by CPU time`);
}

async function measureSampling(config: PolicyConfig): Promise<Seconds> {
  const rng = split(0, "bench sampling");
  const sampler = makeSampler(config, { batch, maxPromptTokens, maxResponseTokens });
  const parameters = makeParameters(config, rng);
  const prompts = Array.from({ length: batch }, () =>
    Int32Array.from({ length: maxPromptTokens }, () => rng.int(config.vocabularySize)),
  );
  const rngs = prompts.map((_, i) => split(0, "row", i));
  // No token has this number, so every row has its full length.
  const stopToken = -1;
  const seconds = await secondsPerCall(() => sampler.sample({ parameters, prompts, rngs, stopToken }));
  await sampler.close();
  return seconds;
}

async function measureTraining(base: PolicyConfig, shape: TrainingShape): Promise<Seconds> {
  const { numRows, numTokens, vocabularySize } = shape;
  const config = { ...base, vocabularySize };
  const rng = split(0, "bench");
  const wrt = parameterInputs(config);
  const tokens = input("tokens", [numRows, numTokens], "i64");
  const targets = input("targets", [numRows, numTokens], "i64");
  const { logProbs } = tokenLogProbs(transformerLogits(wrt, tokens, config), targets);
  const loss = neg(maskedMean(logProbs, input("mask", [numRows, numTokens])));
  const profile = process.env["PROFILE"];
  const session = await makeGradientSession({ loss, wrt, outputs: {} }, profile ? { profileFilePrefix: profile } : {});
  const randomTokens = Int32Array.from({ length: numRows * numTokens }, () => rng.int(vocabularySize));
  const feeds = {
    ...makeParameters(config, rng),
    tokens: randomTokens,
    targets: randomTokens,
    mask: new Float32Array(numRows * numTokens).fill(1),
  };
  const seconds = await secondsPerCall(() => session.run(feeds));
  await session.close();
  return seconds;
}

/** Medians over a few seconds, after a warm-up. */
async function secondsPerCall(call: () => Promise<unknown>): Promise<Seconds> {
  for (let i = 0; i < 3; i++) await call();
  const samples: Seconds[] = [];
  for (const end = performance.now() + 3000; performance.now() < end;) {
    const [startMs, startCpu] = [performance.now(), process.cpuUsage()];
    await call();
    const { user, system } = process.cpuUsage(startCpu);
    samples.push({ wall: (performance.now() - startMs) / 1e3, cpu: (user + system) / 1e6 });
  }
  return { wall: median(samples.map(({ wall }) => wall)), cpu: median(samples.map(({ cpu }) => cpu)) };
}

function median(values: readonly number[]): number {
  return values.toSorted((x, y) => x - y)[Math.floor(values.length / 2)] ?? NaN;
}
