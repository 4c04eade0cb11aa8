import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { makeTaskFamily } from "#trainer/environments/episode.ts";
import { makeParameters } from "#trainer/policy/parameters.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { split } from "#trainer/spec/rng.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { makeActor } from "#trainer/run/acting/actor.ts";
import { makeEngine, makeLearner } from "#trainer/run/learning/learner.ts";

const spec = RunSpec.parse({ v: 1, seed: 7, environment: { id: "sokoban" }, method: methodOf("grpo") });
const family = await makeTaskFamily(spec.environment);
const { config, encode, exportPolicy, family: spoken } = makeActor({ spec, environment: family }, {});
const parameters = makeParameters(config, split(7, "parameters"));
const folder = mkdtempSync(join(tmpdir(), "arlarena-export-"));
const Vocabulary = z.object({ v: z.literal(1), contextTokens: z.int(), padToken: z.int(), words: z.array(z.string()) });

let session: InferenceSession;
let vocabulary: z.infer<typeof Vocabulary>;
beforeAll(async () => {
  exportPolicy(folder, parameters);
  vocabulary = Vocabulary.parse(JSON.parse(readFileSync(join(folder, "vocabulary.json"), "utf8")));
  session = await InferenceSession.create(join(folder, "policy.onnx"));
});
afterAll(async () => {
  await session.release();
  rmSync(folder, { recursive: true });
});

/** Logits (T, V) of a text that is padded with `filler`. */
async function logitsOf(text: Int32Array, filler: number): Promise<Float32Array> {
  const { contextTokens, words } = vocabulary;
  const tokens = new BigInt64Array(contextTokens).fill(BigInt(filler));
  for (const [i, token] of text.entries()) tokens[i] = BigInt(token);
  const { logits } = await session.run({ tokens: new Tensor("int64", tokens, [1, contextTokens]) });
  expect(logits?.dims).toEqual([1, contextTokens, words.length]);
  return Float32Array.from(logits?.data ?? [], Number);
}

function logProbOf(logits: Float32Array, position: number, token: number): number {
  const size = vocabulary.words.length;
  const row = logits.subarray(position * size, (position + 1) * size);
  const largest = row.reduce((most, x) => Math.max(most, x), -Infinity);
  return (row[token] ?? NaN) - largest - Math.log(row.reduce((sum, x) => sum + Math.exp(x - largest), 0));
}

describe("an exported policy", () => {
  const prompt = encode.prompt(family.start(3).prompt(0));
  const response = encode.response("<think> go up </think> <action> up </action>", family);
  const text = Int32Array.of(...prompt, ...response);

  it("in a plain ONNX Runtime gives the log-probabilities that the trainer scores with", async () => {
    const untempered = { ...spec, rollout: { ...spec.rollout, temperature: 1 } };
    const learner = makeLearner(config, untempered, makeEngine(config, untempered, {}));
    const [scores] = await learner.score(parameters, [{ prompt, response }]);
    await learner.close();
    const logits = await logitsOf(text, vocabulary.padToken);
    expect(response.length).toBeGreaterThan(5);
    for (const [i, token] of response.entries()) {
      expect(logProbOf(logits, prompt.length - 1 + i, token)).toBeCloseTo(scores?.logProbs[i] ?? NaN, 5);
    }
  });

  it("does not look at what fills the rest of its context", async () => {
    const end = text.length * vocabulary.words.length;
    const [padded, filled] = [await logitsOf(text, vocabulary.padToken), await logitsOf(text, 5)];
    expect(filled.subarray(0, end)).toEqual(padded.subarray(0, end));
    expect(filled.subarray(end)).not.toEqual(padded.subarray(end));
  });

  it("comes with the words its tokens stand for", () => {
    expect(vocabulary.words).toEqual(expect.arrayContaining([...spoken.words, "<eos>"]));
    expect(vocabulary.words).toHaveLength(config.vocabularySize);
    expect(vocabulary.contextTokens).toBe(config.contextTokens);
    expect([session.inputNames, session.outputNames]).toEqual([["tokens"], ["logits"]]);
  });
});
