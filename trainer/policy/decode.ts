import { makeSession, type Feeds, type Session, type SessionOptions } from "#trainer/onnx/session.ts";
import { chooseToken, type Chosen } from "./chooseToken.ts";
import { dimensionsOf, type PolicyConfig } from "./config.ts";
import { prefillGraph, stepGraph, type DecodeOutputs } from "./decodeGraphs.ts";
import { makeRows, type Response } from "./decodeRows.ts";
import { makeResidentSampler } from "./residentSampler.ts";
import { makeCacheStore, type CacheStore } from "./rowCache.ts";
import {
  prefillCount,
  promptBucket,
  requireRoom,
  rowBucket,
  type SampleRequest,
  type Sampler,
  type SamplerLimits,
} from "./sampling.ts";

export type { Response } from "./decodeRows.ts";
export type { LogitNoise, SampleRequest, Sampler, SamplerLimits } from "./sampling.ts";

/** Batched sampling with a key–value cache. Graphs are compiled at the first use of each shape. */
export function makeSampler(config: PolicyConfig, limits: SamplerLimits, options: SessionOptions = {}): Sampler {
  requireRoom(config, limits);
  const host = makeHostSampler(config, limits, options);
  return options.executionProvider === "webgpu" ? makeResidentSampler({ config, limits, options }, host) : host;
}

/** The cache lies in this process, and tokens are chosen here. */
function makeHostSampler(config: PolicyConfig, limits: SamplerLimits, options: SessionOptions): Sampler {
  const { batch, maxPromptTokens, maxResponseTokens } = limits;
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
    const count = prefillCount(rows.numPrompts, promptTokens, batch);
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
