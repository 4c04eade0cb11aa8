import { afterAll, describe, expect, it } from "vitest";
import { input } from "#trainer/graph/ops.ts";
import { makeSession } from "#trainer/onnx/session.ts";
import { split } from "#trainer/spec/rng.ts";
import type { PolicyConfig } from "./config.ts";
import { makeSampler, type Memory, type Response, type SampleRequest } from "./decode.ts";
import { makeParameters, parameterInputs } from "./parameters.ts";
import { tokenLogProbs, transformerLogits } from "./transformer.ts";

const config: PolicyConfig = { size: "nano", vocabularySize: 23, contextTokens: 64, positions: "learned" };
const parameters = makeParameters(config, split(1, "parameters"));
const limits = { batch: 19, maxPromptTokens: 40, maxResponseTokens: 12 };
const sampler = makeSampler(config, limits);
afterAll(() => sampler.close());

const prompts = [3, 35, 7, 1, 12, 33, 20, 9, 40, ...Array.from({ length: 11 }, (_, i) => i + 2)].map((length, i) => {
  const rng = split(2, "prompt", i);
  return Int32Array.from({ length }, () => rng.int(config.vocabularySize));
});
const request = (some: readonly number[]): SampleRequest => ({
  parameters,
  prompts: some.map((i) => prompts[i] ?? new Int32Array()),
  rngs: some.map((i) => split(3, "row", i)),
  stopTokens: [2],
});
const all = [...prompts.keys()];

describe("cached decoding", () => {
  it("gives the log-probabilities and entropies of the full forward pass within 1e-4", async () => {
    const responses = await sampler.sample(request(all));
    expect(responses.some(({ isCut }) => isCut) && responses.some(({ isCut }) => !isCut)).toBe(true);
    for (const [i, response] of responses.entries()) {
      const { logProbs, entropies } = await fullForward(config, i, response);
      expect(response.tokens.length).toBe(response.logProbs.length);
      expect([...response.entropies]).toEqual(entropies.map((x) => expect.closeTo(x, 4)));
      for (const [j, x] of response.logProbs.entries()) expect(Math.abs(x - (logProbs[j] ?? NaN))).toBeLessThan(1e-4);
    }
  });

  it("does so with rotary positions too", { tags: "soak" }, async () => {
    const rotary = { ...config, positions: "rotary" } as const;
    const turning = makeSampler(rotary, limits);
    const responses = await turning.sample(request(all));
    await turning.close();
    for (const [i, response] of responses.entries()) {
      const { logProbs } = await fullForward(rotary, i, response);
      for (const [j, x] of response.logProbs.entries()) expect(Math.abs(x - (logProbs[j] ?? NaN))).toBeLessThan(1e-4);
    }
  });

  it("is the argmax of the full forward pass when greedy", async () => {
    const responses = await sampler.sample({ ...request(all), temperature: 0 });
    for (const [i, response] of responses.entries()) {
      expect([...response.tokens]).toEqual((await fullForward(config, i, response)).argmax);
    }
  });

  it("ends a response at the first of several stop tokens, with the same draws until there", async () => {
    const whole = await sampler.sample({ ...request(all), stopTokens: [] });
    const ended = await sampler.sample({ ...request(all), stopTokens: [2, 5, 11] });
    const ends = new Set<number>();
    for (const [i, { tokens, isCut }] of ended.entries()) {
      const { tokens: written = new Int32Array() } = whole[i] ?? {};
      const end = written.findIndex((token) => [2, 5, 11].includes(token));
      expect(isCut).toBe(end === -1);
      expect(tokens).toEqual(written.slice(0, end === -1 ? undefined : end + 1));
      if (end !== -1) ends.add(written[end] ?? -1);
    }
    expect(ends.size).toBeGreaterThan(1);
  });

  it("does not depend on what else is in the batch", async () => {
    const together = await sampler.sample(request(all));
    const apart = await Promise.all(all.map((i) => sampler.sample(request([i]))));
    expect(apart.flat().map(({ tokens }) => tokens)).toEqual(together.map(({ tokens }) => tokens));
    expect(await sampler.sample(request(all))).toEqual(together);
  });

  it("does not depend on what a broken policy sampled before", async () => {
    const expected = await sampler.sample(request(all));
    const broken = Object.fromEntries(
      Object.entries(parameters).map(([name, values]) => [name, values.map(() => NaN)]),
    );
    const [response] = await sampler.sample({ ...request(all), parameters: broken });
    expect(response?.logProbs[0]).toBeNaN();
    expect(await sampler.sample(request(all))).toEqual(expected);
  });

  it("ends at the stop token, or is cut at the limit", async () => {
    for (const { tokens, isCut } of await sampler.sample(request(all))) {
      expect(tokens.indexOf(2)).toBe(isCut ? -1 : tokens.length - 1);
      if (isCut) expect(tokens.length).toBe(12);
    }
  });

  it("refuses what does not fit", async () => {
    await expect(sampler.sample({ ...request([0]), prompts: [new Int32Array(41)] })).rejects.toThrow("limit is 40");
    await expect(sampler.sample({ ...request([0]), prompts: [new Int32Array(0)] })).rejects.toThrow(
      "a prompt is empty",
    );
    expect(() => makeSampler(config, { batch: 1, maxPromptTokens: 60, maxResponseTokens: 5 })).toThrow("context of 64");
  });
});

/** Computes log-probabilities, entropies and argmax at each token of a response, without a KV cache. */
async function fullForward(
  config: PolicyConfig,
  row: number,
  { tokens }: Response,
): Promise<{ logProbs: number[]; entropies: number[]; argmax: number[] }> {
  const prompt = prompts[row] ?? new Int32Array();
  const whole = Int32Array.of(...prompt, ...tokens);
  const shape = [1, whole.length - 1] as const;
  const logits = transformerLogits(parameterInputs(config), input("tokens", shape, "i64"), config);
  const { logProbs, entropy } = tokenLogProbs(logits, input("targets", shape, "i64"));
  const session = await makeSession({ logits, logProbs, entropy });
  const results = await session.run({ ...parameters, tokens: whole.slice(0, -1), targets: whole.slice(1) });
  await session.close();
  const start = prompt.length - 1;
  const rows = [...tokens].map((_, i) => {
    const at = (start + i) * config.vocabularySize;
    return results.logits.subarray(at, at + config.vocabularySize);
  });
  const [own, entropies] = [results.logProbs, results.entropy].map((values) => [...values].slice(start));
  return { logProbs: own ?? [], entropies: entropies ?? [], argmax: rows.map((x) => x.indexOf(Math.max(...x))) };
}

describe("a conversation that is remembered", () => {
  const rotary = { ...config, contextTokens: 160, positions: "rotary" } as const;
  const room = { batch: 4, maxPromptTokens: 140, maxResponseTokens: 12 };
  const rows = [0, 1, 2, 3, 4, 5, 6];
  const begin = rows.map((i) => prompts[i] ?? new Int32Array());

  /** Plays four turns of seven conversations, and counts the prompt tokens that the KV cache already contained. */
  async function converse(keptBytes: number) {
    const sampler = makeSampler(rotary, { ...room, keptBytes });
    const memories = rows.map((): Memory => ({}));
    let texts = begin;
    const turns: Response[][] = [];
    const numKnown: number[] = [];
    for (let turn = 0; turn < 4; turn++) {
      // The earlier text was changed, so its cache must not be used.
      if (turn === 2) texts = texts.map((text, i) => (i === 1 ? text.map((token) => (token + 1) % 23) : text));
      numKnown.push(memories.reduce((sum, { kept }) => sum + (kept?.tokens.length ?? 0), 0));
      const rngs = rows.map((i) => split(4, "row", i, turn));
      const request = { parameters, prompts: texts, rngs, stopTokens: [2, 5], ...(keptBytes > 0 && { memories }) };
      const responses = await sampler.sample(request);
      turns.push(responses);
      texts = texts.map((text, i) =>
        Int32Array.of(
          ...text,
          ...(responses[i]?.tokens ?? []),
          ...Array.from({ length: 1 + ((i + turn) % 5) }, (_, j) => j + i),
        ),
      );
    }
    await sampler.close();
    return { turns, numKnown };
  }

  it("goes on as if all of it were read again, in the same words and with the same log-probabilities within 1e-4", async () => {
    const [plain, remembered] = [await converse(0), await converse(1e9)];
    expect(remembered.numKnown[0]).toBe(0);
    expect(remembered.numKnown[3]).toBeGreaterThan(remembered.numKnown[1] ?? NaN);
    expect(plain.numKnown).toEqual([0, 0, 0, 0]);
    for (const [turn, responses] of plain.turns.entries()) {
      for (const [i, { tokens, logProbs, isCut }] of responses.entries()) {
        const own = remembered.turns[turn]?.[i];
        expect([...(own?.tokens ?? [])], `turn ${turn}, row ${i}`).toEqual([...tokens]);
        expect([...(own?.logProbs ?? [])]).toEqual([...logProbs].map((x) => expect.closeTo(x, 4)));
        expect(own?.isCut).toBe(isCut);
      }
    }
    // Sums in a different order differ in their last digits. Equal digits would mean that everything was recomputed.
    expect(remembered.turns.map((turn) => turn.map(({ logProbs }) => [...logProbs]))).not.toEqual(
      plain.turns.map((turn) => turn.map(({ logProbs }) => [...logProbs])),
    );
  });

  it("is forgotten where the room for it is spent", { tags: "soak" }, async () => {
    const [plain, remembered] = [await converse(0), await converse(60_000)];
    const whole = await converse(1e9);
    expect(remembered.numKnown[1]).toBeGreaterThan(0);
    expect(remembered.numKnown[1]).toBeLessThan(whole.numKnown[1] ?? NaN);
    expect(remembered.turns.map((turn) => turn.map(({ tokens }) => [...tokens]))).toEqual(
      plain.turns.map((turn) => turn.map(({ tokens }) => [...tokens])),
    );
  });
});
