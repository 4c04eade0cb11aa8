/** Prints a sampler's output on CPU and WebGPU as JSON; a program, as the library path is read at process start. */
import type { PolicyConfig } from "#trainer/policy/config.ts";
import { makeSampler, type Sampler } from "#trainer/policy/decode.ts";
import { makeParameters, parameterShapes } from "#trainer/policy/parameters.ts";
import { deviceStore } from "#trainer/run/learning/deviceStore.ts";
import { split } from "#trainer/spec/rng.ts";

const config: PolicyConfig = { size: "nano", vocabularySize: 23, contextTokens: 64, positions: "rotary" };
const limits = { batch: 8, maxPromptTokens: 40, maxResponseTokens: 9 };
const arrays = makeParameters(config, split(1, "parameters"));
const prompts = [3, 35, 7, 7, 12, 33, 20, 9, 40, 5, 2].map((length, i) => {
  const rng = split(2, "prompt", i === 3 ? 2 : i);
  return Int32Array.from({ length }, () => rng.int(config.vocabularySize));
});
// Greedy sampling is left out: `choiceGraph.test.ts` tests it, and a third pass on the device takes long.
const choices = [{}, { temperature: 0.8, topK: 6, topP: 0.9 }];

const traffic = { toDevice: 0, fromDevice: 0 };
const options = { executionProvider: "webgpu", traffic };
const store = deviceStore(options);
const parameters = await store.hold(arrays, parameterShapes(config));
const held = traffic.toDevice;
const [host, device] = [makeSampler(config, limits), makeSampler(config, limits, options)];
const ofHost = await sampleAll(host, arrays);
const ofDevice = await sampleAll(device, parameters);
console.log(JSON.stringify({ host: ofHost, device: ofDevice, traffic: traffic.toDevice + traffic.fromDevice - held }));
await host.close();
await device.close();
await store.close();

async function sampleAll(sampler: Sampler, weights: typeof parameters) {
  const all = [];
  for (const choice of choices) {
    const rngs = prompts.map((_, i) => split(3, "row", i));
    const responses = await sampler.sample({ parameters: weights, prompts, rngs, stopTokens: [2, 5, 11], ...choice });
    all.push(
      ...responses.map(({ tokens, logProbs, entropies, isCut }) => ({
        tokens: [...tokens],
        logProbs: [...logProbs],
        entropies: [...entropies],
        isCut,
      })),
    );
  }
  return all;
}
