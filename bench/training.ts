/**
 * Tokens per second of training (forward, backward and all gradients of a next-token loss) and of sampling, on one
 * thread: `npx tsx bench/training.ts`. B·T counts prompt tokens, and no row is padded.
 */
import { input, maskedMean, neg } from "#trainer/graph/ops.ts";
import { makeGradientSession } from "#trainer/policy/gradientSession.ts";
import { makeParameters, numParameters, parameterInputs } from "#trainer/policy/parameters.ts";
import { tokenLogProbs, transformerLogits } from "#trainer/policy/transformer.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import { split } from "#trainer/spec/rng.ts";

const [numRows, numTokens, vocabularySize] = [16, 128, 128] as const;

for (const size of ["nano", "micro"] as const) {
  const config: PolicyConfig = { size, vocabularySize, contextTokens: 256 };
  const training = await measureTraining(config);
  console.log(`${size}  ${numParameters(config)} parameters  training ${training.toFixed(0)} tokens/s`);
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
