import { makeSession, type Feeds, type Session, type SessionOptions } from "#trainer/onnx/session.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import { chooseToken, type Choice, type Chosen } from "./chooseToken.ts";
import { dimensionsOf, type PolicyConfig } from "./config.ts";
import { prefillGraph, stepGraph, type DecodeOutputs } from "./decodeGraphs.ts";
import type { Weights } from "./parameters.ts";
import { makeRows, type Response } from "./decodeRows.ts";
import { makeCacheStore, type CacheStore } from "./rowCache.ts";

export type { Response } from "./decodeRows.ts";

export type SamplerLimits = {
  /** Rows decoded together; more prompts are taken in turns. */
  readonly batch: number;
  readonly maxPromptTokens: number;
  readonly maxResponseTokens: number;
};

/** Changes the logits of one token before it is chosen. */
export type LogitNoise = (logits: Float32Array) => Float32Array;

export type SampleRequest = Partial<Choice> & {
  readonly parameters: Weights;
  readonly prompts: readonly Int32Array[];
  /** One stream per prompt, one draw per token: a response does not depend on what else is in the batch. */
  readonly rngs: readonly Rng[];
  /** A response ends with the first of these. */
  readonly stopTokens: readonly number[];
  /** What the logits of each prompt's response are read through; exactly as they are where it is absent. */
  readonly noises?: readonly LogitNoise[];
};

export type Sampler = {
  readonly sample: (request: SampleRequest) => Promise<Response[]>;
  readonly close: () => Promise<void>;
};

/** Prompts read together: few enough that a run's memory stays small and its activations near the core. */
const [prefillRows, prefillPositions] = [16, 8192];

/** Batched sampling with a key–value cache. Graphs are compiled at the first use of each shape. */
export function makeSampler(config: PolicyConfig, limits: SamplerLimits, options: SessionOptions = {}): Sampler {
  const { batch, maxPromptTokens, maxResponseTokens } = limits;
  if (maxPromptTokens + maxResponseTokens > config.contextTokens) {
    throw new RangeError(
      `prompts of ${maxPromptTokens} and responses of ${maxResponseTokens} tokens exceed the context of ${config.contextTokens}`,
    );
  }
  const sessions = new Map<string, Promise<Session<string>>>();
  /** Those that no call is using. */
  const stores: CacheStore[] = [];
  const run = async (key: string, graph: () => DecodeOutputs, feeds: Feeds): Promise<Record<string, Float32Array>> => {
    const session = sessions.get(key) ?? makeSession(graph(), options);
    sessions.set(key, session);
    return (await session).run(feeds);
  };

  async function sampleRows(request: SampleRequest, start: number, store: CacheStore): Promise<Response[]> {
    const { parameters } = request;
    const prompts = request.prompts.slice(start, start + batch);
    const promptTokens = promptBucket(prompts, maxPromptTokens);
    const choose = chooser(request, start);
    const numSlots = rowBucket(prompts.length, batch);
    const shape = { numSlots, promptTokens, cacheTokens: promptTokens + maxResponseTokens };
    let rows = makeRows(prompts, { ...dimensionsOf(config), ...shape }, store);
    const fitting = 2 ** Math.floor(Math.log2(prefillPositions / promptTokens));
    const count = Math.max(1, Math.min(rowBucket(rows.numPrompts, batch), prefillRows, fitting));
    const prefill = (): DecodeOutputs => prefillGraph(config, count, promptTokens);
    for (let start = 0; start < rows.numPrompts; start += count) {
      const feeds = { ...parameters, ...rows.promptFeeds({ start, count }) };
      rows.start(await run(`prefill ${count} ${promptTokens}`, prefill, feeds), { start, count }, choose);
    }
    for (let i = 1; i < maxResponseTokens && rows.numActive() > 0; i++) {
      rows = rows.compact(rowBucket(rows.numActive(), batch));
      const step = (): DecodeOutputs => stepGraph(config, rows.numSlots, rows.cacheTokens);
      const next = await run(`step ${rows.numSlots} ${rows.cacheTokens}`, step, { ...parameters, ...rows.stepFeeds() });
      rows.extendCache(next);
      rows.append(next, choose);
    }
    return rows.responses();
  }

  return {
    async sample(request) {
      const store = stores.pop() ?? makeCacheStore();
      const responses: Response[] = [];
      for (let start = 0; start < request.prompts.length; start += batch) {
        responses.push(...(await sampleRows(request, start, store)));
      }
      stores.push(store);
      return responses;
    },
    async close() {
      for (const session of sessions.values()) await (await session).close();
      sessions.clear();
      stores.length = 0;
    },
  };
}

/** Chooses tokens of the prompts from `start` on, each from its stream. */
function chooser({ rngs, noises, stopTokens, temperature = 1, topK = 0, topP = 1 }: SampleRequest, start: number) {
  const choice = { temperature, topK, topP };
  return (logits: Float32Array, row: number): Chosen & { isLast: boolean } => {
    const rng = rngs[start + row];
    if (!rng) throw new RangeError(`no random stream for prompt ${start + row}`);
    const read = noises?.[start + row]?.(logits) ?? logits;
    const { token, logProb, entropy } = chooseToken(read, choice, rng);
    return { token, logProb, entropy, isLast: stopTokens.includes(token) };
  };
}

/** Powers of two up to the batch: rows that stopped cost little, and few graphs are compiled. */
function rowBucket(numRows: number, batch: number): number {
  return Math.min(2 ** Math.ceil(Math.log2(numRows)), batch);
}

/** Steps of 32 tokens, of a quarter for longer prompts, as those of a growing transcript. */
function promptBucket(prompts: readonly Int32Array[], limit: number): number {
  const longest = prompts.reduce((most, { length }) => Math.max(most, length), 0);
  if (longest > limit) throw new RangeError(`a prompt has ${longest} tokens, limit is ${limit}`);
  const step = Math.max(32, 2 ** (Math.floor(Math.log2(longest)) - 2));
  return Math.min(step * Math.ceil(longest / step), limit);
}
