/**
 * Tokens per second of training (forward, backward and all gradients of a next-token loss) and of sampling, on one
 * thread: `npx tsx bench/training.ts`. B·T counts prompt tokens, and no row is padded.
 */
import { input, maskedMean, neg } from "#trainer/graph/ops.ts";
import { makeSampler } from "#trainer/policy/decode.ts";
import { makeGradientSession } from "#trainer/policy/gradientSession.ts";
import { makeParameters, numParameters, parameterInputs } from "#trainer/policy/parameters.ts";
import { tokenLogProbs, transformerLogits } from "#trainer/policy/transformer.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import { split } from "#trainer/spec/rng.ts";

const [numRows, numTokens, vocabularySize] = [16, 128, 128] as const;

for (const size of ["nano", "micro"] as const) {
  const config: PolicyConfig = { size, vocabularySize, contextTokens: 256 };
  const training = await measureTraining(config);
  const sampling = await measureSampling(config);
  console.log(
    `${size}, ${numParameters(config)} parameters, 1 thread: training ${training.toFixed(0)} tokens/s, ` +
      `sampling ${sampling.written.toFixed(0)} new tokens/s (${sampling.all.toFixed(0)} with the prompts read)`,
  );
}

/** Prompts of 96 tokens, responses of 32, 32 rows at a time. */
async function measureSampling(config: PolicyConfig): Promise<{ written: number; all: number }> {
  const [batch, maxPromptTokens, maxResponseTokens] = [32, 96, 32] as const;
  const rng = split(0, "bench sampling");
  const sampler = makeSampler(config, { batch, maxPromptTokens, maxResponseTokens });
  const parameters = makeParameters(config, rng);
  const prompts = Array.from({ length: batch }, () =>
    Int32Array.from({ length: maxPromptTokens }, () => rng.int(vocabularySize)),
  );
  const rngs = prompts.map((_, i) => split(0, "row", i));
  // No token has this number, so every row has its full length.
  const stopToken = -1;
  const seconds = await secondsPerCall(() => sampler.sample({ parameters, prompts, rngs, stopToken }));
  await sampler.close();
  return {
    written: (batch * maxResponseTokens) / seconds,
    all: (batch * (maxPromptTokens + maxResponseTokens)) / seconds,
  };
}

async function measureTraining(config: PolicyConfig): Promise<number> {
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
  return (numRows * numTokens) / seconds;
}

/** Median over a few seconds, after a warm-up. */
async function secondsPerCall(call: () => Promise<unknown>): Promise<number> {
  for (let i = 0; i < 3; i++) await call();
  const samples: number[] = [];
  for (const end = performance.now() + 3000; performance.now() < end;) {
    const start = performance.now();
    await call();
    samples.push((performance.now() - start) / 1000);
  }
  return samples.sort((x, y) => x - y)[Math.floor(samples.length / 2)] ?? NaN;
}
