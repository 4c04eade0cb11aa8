import { makeSession, type Feeds, type Session, type SessionOptions } from "#trainer/onnx/session.ts";
import { chooseToken, type Chosen } from "./chooseToken.ts";
import { dimensionsOf, type PolicyConfig } from "./config.ts";
import { extendGraph, prefillGraph, stepGraph, type DecodeOutputs } from "./decodeGraphs.ts";
import { makeRows, type Rows } from "./decodeRows.ts";
import { makeResidentSampler } from "./residentSampler.ts";
import { makeCacheStore, type CacheStore } from "./rowCache.ts";
import {
  prefillCount,
  promptBucket,
  requireRoom,
  rowBucket,
  type Memory,
  type Response,
  type SampleRequest,
  type Sampler,
  type SamplerLimits,
} from "./sampling.ts";

export type { LogitNoise, Memory, Response, SampleRequest, Sampler, SamplerLimits } from "./sampling.ts";

/** Generates responses to batches of prompts, with a key–value cache; compiles graphs at each shape's first use. */
export function makeSampler(config: PolicyConfig, limits: SamplerLimits, own: SessionOptions = {}): Sampler {
  // A language model's working memory is freed after each pass: otherwise each length of prompts that occurs would keep
  // 90 to 200 MB for a model of 135 M parameters.
  const options = { ...own, returnsMemory: config.architecture !== undefined };
  requireRoom(config, limits);
  const host = makeHostSampler(config, limits, options);
  return options.executionProvider === "webgpu" ? makeResidentSampler({ config, limits, options }, host) : host;
}

/** Makes a sampler whose key–value cache is in host memory, where tokens are also chosen. */
function makeHostSampler(config: PolicyConfig, limits: SamplerLimits, options: SessionOptions): Sampler {
  const { batch, maxPromptTokens, maxResponseTokens, keptBytes = 0 } = limits;
  const sessions = new Map<string, Promise<Session<string>>>();
  /** Key–value caches that no call of `sample` uses at the moment, for reuse. */
  const stores: CacheStore[] = [];
  const run: Runner = async (key, graph, feeds) => {
    const session = sessions.get(key) ?? makeSession(graph(), options);
    sessions.set(key, session);
    return (await session).run(feeds);
  };

  async function sampleRows(request: SampleRequest, { store, keep }: Workspace): Promise<Response[]> {
    const { parameters, prompts, memories } = request;
    const promptTokens = promptBucket(prompts, maxPromptTokens);
    const sampling = { request, choose: chooser(request), promptTokens };
    const passes = { config, batch, run };
    const numSlots = rowBucket(prompts.length, batch);
    const shape = { numSlots, promptTokens, cacheTokens: promptTokens + maxResponseTokens };
    let rows = makeRows(prompts, { ...dimensionsOf(config), ...shape }, store);
    const finish = (isOver: boolean): void => {
      if (memories && keptBytes > 0) rows.finish((index, kept) => keep(memories[index], kept), isOver);
    };
    if (memories?.[0]?.kept) await resume(passes, rows, sampling);
    else await start(passes, rows, sampling);
    for (let i = 1; i < maxResponseTokens && rows.numActive() > 0; i++) {
      finish(false);
      rows = rows.compact(rowBucket(rows.numActive(), batch));
      const step = (): DecodeOutputs => stepGraph(config, rows.numSlots, rows.cacheTokens);
      const next = await run(`step ${rows.numSlots} ${rows.cacheTokens}`, step, { ...parameters, ...rows.stepFeeds() });
      rows.extendCache(next);
      rows.append(next, sampling.choose);
    }
    finish(true);
    return rows.responses();
  }

  return {
    async sample(request) {
      const store = stores.pop() ?? makeCacheStore();
      const workspace = { store, keep: keeper(keptBytes) };
      const responses: Response[] = [];
      for (const indices of partsOf(request, batch)) {
        const written = await sampleRows(partOf(request, indices), workspace);
        for (const [i, index] of indices.entries()) if (written[i]) responses[index] = written[i];
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

type Passes = { readonly config: PolicyConfig; readonly batch: number; readonly run: Runner };
type Runner = (key: string, graph: () => DecodeOutputs, feeds: Feeds) => Promise<Record<string, Float32Array>>;
type Sampling = {
  readonly request: SampleRequest;
  readonly choose: ReturnType<typeof chooser>;
  readonly promptTokens: number;
};
type Workspace = { readonly store: CacheStore; readonly keep: ReturnType<typeof keeper> };

/** Processes whole prompts (prefill), and chooses the first response token of every row. */
async function start(
  { config, batch, run }: Passes,
  rows: Rows,
  { request, choose, promptTokens }: Sampling,
): Promise<void> {
  const count = prefillCount(rows.numPrompts, promptTokens, batch);
  const prefill = (): DecodeOutputs => prefillGraph(config, count, promptTokens);
  for (let start = 0; start < rows.numPrompts; start += count) {
    const feeds = { ...request.parameters, ...rows.promptFeeds({ start, count }) };
    rows.start(await run(`prefill ${count} ${promptTokens}`, prefill, feeds), { start, count }, choose);
  }
}

/** Processes only the prompt tokens after each row's cached prefix, and chooses every row's first response token. */
async function resume(
  { config, batch, run }: Passes,
  rows: Rows,
  { request, choose, promptTokens }: Sampling,
): Promise<void> {
  const { memories = [], prompts, parameters } = request;
  const unread = prompts.map((prompt, i) => prompt.subarray(memories[i]?.kept?.tokens.length));
  const { numSlots, cacheTokens } = rows;
  const numTokens = promptBucket(unread, promptTokens);
  const count = Math.min(numSlots, prefillCount(prompts.length, numTokens, batch));
  const extend = (): DecodeOutputs => extendGraph(config, numTokens, { numRows: count, cacheTokens });
  for (let start = 0; start < prompts.length; start += count) {
    const feeds = { ...parameters, ...rows.continueFeeds({ start, count }, memories, numTokens) };
    rows.resume(await run(`extend ${count} ${numTokens} ${cacheTokens}`, extend, feeds), { start, count }, choose);
  }
  // The conversations' caches were copied into the rows' cache, so they are released.
  for (const memory of memories) delete memory.kept;
}

/** Stores the caches of finished rows in their conversations, until `maxBytes` are used. */
function keeper(maxBytes: number) {
  let bytes = 0;
  return (memory: Memory | undefined, kept: NonNullable<Memory["kept"]>): void => {
    if (!memory) return;
    bytes += Object.values(kept.arrays).reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (bytes <= maxBytes) memory.kept = kept;
    else delete memory.kept;
  };
}

/** Splits rows into batches of at most `batch`, cached prefixes separately. Deletes a cache that is no prefix. */
function partsOf({ prompts, memories }: SampleRequest, batch: number): number[][] {
  const isKnown = (index: number): boolean => {
    const { tokens } = memories?.[index]?.kept ?? {};
    const prompt = prompts[index];
    return tokens !== undefined && prompt !== undefined && beginsWith(prompt, tokens);
  };
  const all = [...prompts.keys()];
  for (const index of all) if (!isKnown(index)) delete memories?.[index]?.kept;
  const [fresh, known] = [all.filter((index) => !isKnown(index)), all.filter(isKnown)];
  return [fresh, known].flatMap((some) =>
    Array.from({ length: Math.ceil(some.length / batch) }, (_, i) => some.slice(i * batch, (i + 1) * batch)),
  );
}

/** True if the prompt begins with `tokens` and has at least one more token. */
function beginsWith(prompt: Int32Array, tokens: Int32Array): boolean {
  return prompt.length > tokens.length && tokens.every((token, i) => prompt[i] === token);
}

function partOf(request: SampleRequest, indices: readonly number[]): SampleRequest {
  const some = <Item>(items: readonly Item[]): Item[] => indices.flatMap((index) => items.slice(index, index + 1));
  return {
    ...request,
    prompts: some(request.prompts),
    rngs: some(request.rngs),
    ...(request.noises && { noises: some(request.noises) }),
    ...(request.memories && { memories: some(request.memories) }),
  };
}

/** Makes a function that samples a row's next token from its logits, with the row's own random stream. */
function chooser({ rngs, noises, stopTokens, temperature = 1, topK = 0, topP = 1 }: SampleRequest) {
  const choice = { temperature, topK, topP };
  return (logits: Float32Array, row: number): Chosen & { isLast: boolean } => {
    const rng = rngs[row];
    if (!rng) throw new RangeError(`no random stream for prompt ${row}`);
    const read = noises?.[row]?.(logits) ?? logits;
    const { token, logProb, entropy } = chooseToken(read, choice, rng);
    return { token, logProb, entropy, isLast: stopTokens.includes(token) };
  };
}
