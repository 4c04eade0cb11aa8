import {
  add,
  constant,
  fill,
  gather,
  greater,
  input,
  isGreater,
  mul,
  pad,
  reshape,
  where,
} from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import type { DeviceTensor } from "#trainer/onnx/deviceTensor.ts";
import { type Feeds, makeResidentSession, type ResidentSession, type SessionOptions } from "#trainer/onnx/session.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import { choiceGraph, type ChoiceKind } from "./chooseToken.ts";
import { dimensionsOf, type PolicyConfig } from "./config.ts";
import { type DecodeOutputs, prefillGraph, stepThrough } from "./decodeGraphs.ts";
import { layOutPrompts, toResponse, type DecodedRow } from "./decodeRows.ts";
import { MASKED } from "./heads.ts";
import {
  prefillCount,
  promptBucket,
  type Response,
  rowBucket,
  type Sampler,
  type SampleRequest,
  type SamplerLimits,
} from "./sampling.ts";

type Place = { readonly config: PolicyConfig; readonly limits: SamplerLimits; readonly options: SessionOptions };
type Pass = { readonly graph: () => ResidentGraph; readonly feeds: Feeds };
/** Runs a graph for a batch, and replaces the batch's key–value cache by the resulting one. */
type Runner = (batch: Batch, key: string, pass: Pass) => Promise<Chosen>;

/**
 * Makes a sampler whose key–value cache stays on the device, where tokens are also chosen. A step uploads a token, a
 * position and a uniform number per row, and reads back a token, its log-probability and the entropy. Requests with
 * noise on logits go to `host`.
 */
export function makeResidentSampler(place: Place, host: Sampler): Sampler {
  const { limits, options } = place;
  const sessions = new Map<string, Promise<ResidentSession<string, string>>>();
  const run: Runner = async (batch, key, { graph, feeds }) => {
    const name = `${key} ${Object.values(batch.kind).join(" ")}`;
    const session = sessions.get(name) ?? open(graph(), options);
    sessions.set(name, session);
    const { read, kept } = await (await session).run({ ...batch.request.parameters, ...batch.cache, ...feeds });
    release(batch.cache);
    batch.cache = kept;
    return read;
  };
  const decode = async (batch: Batch): Promise<Response[]> => {
    try {
      await start(place, run, batch);
      const isGoing = (): boolean => batch.rows.some(({ isDone }) => !isDone);
      for (let i = 1; i < limits.maxResponseTokens && isGoing(); i++) await step(place, run, batch);
      return batch.rows.map(toResponse);
    } finally {
      release(batch.cache);
    }
  };
  return {
    async sample(request) {
      if (request.noises) return host.sample(request);
      const responses: Response[] = [];
      for (let first = 0; first < request.prompts.length; first += limits.batch) {
        responses.push(...(await decode(seat(request, first, limits))));
      }
      return responses;
    },
    async close() {
      for (const session of sessions.values()) await (await session).close();
      sessions.clear();
      await host.close();
    },
  };
}

/** Processes a batch's prompts (prefill), a few at a time, and chooses the first response token of every row. */
async function start({ config, limits }: Place, run: Runner, batch: Batch): Promise<void> {
  const { prompts, promptTokens, cacheTokens, kind, slots, numSlots: numRows } = batch;
  const numPrompts = prefillCount(prompts.length, promptTokens, limits.batch);
  for (let first = 0; first < prompts.length; first += numPrompts) {
    const isFirst = first === 0;
    const isStarting = ({ promptIndex }: Row): boolean => promptIndex >= first && promptIndex < first + numPrompts;
    const starting = slots.filter(isStarting);
    const chosen = await run(batch, `start ${numPrompts} ${promptTokens} ${numRows} ${cacheTokens} ${isFirst}`, {
      graph: () => startGraph(config, { numPrompts, promptTokens, numRows, cacheTokens }, { ...kind, isFirst }),
      feeds: {
        ...layOutPrompts(prompts, { start: first, count: numPrompts }, promptTokens),
        source: slotted(batch, (row) => (isStarting(row) ? row.promptIndex - first : 0)),
        isStarting: Float32Array.from(slotted(batch, (row) => Number(isStarting(row)))),
        ...drawFeeds(batch, starting),
      },
    });
    append(batch, starting, chosen);
  }
}

/** Decodes the next token of every unfinished row. If fewer slots suffice, the rows are moved to fewer slots first. */
async function step({ config, limits }: Place, run: Runner, batch: Batch): Promise<void> {
  const active = batch.slots.filter(({ isDone }) => !isDone);
  const fewer = rowBucket(active.length, limits.batch);
  const { cacheTokens, kind } = batch;
  if (fewer < batch.numSlots) {
    const seats = new Int32Array(fewer);
    for (const [i, row] of active.entries()) seats[i] = batch.slots.indexOf(row);
    const shape = { numRows: batch.numSlots, cacheTokens };
    const graph = (): ResidentGraph => compactGraph(config, shape, fewer);
    await run(batch, `compact ${batch.numSlots} ${fewer} ${cacheTokens}`, { graph, feeds: { seats } });
    batch.slots = active;
    batch.numSlots = fewer;
  }
  const { numSlots: numRows } = batch;
  const tokenPositions = slotted(batch, ({ isDone, prompt, tokens }) =>
    isDone ? 0 : prompt.length + tokens.length - 1,
  );
  const chosen = await run(batch, `continue ${numRows} ${cacheTokens}`, {
    graph: () => continueGraph(config, { numRows, cacheTokens }, kind),
    feeds: {
      tokens: slotted(batch, ({ isDone, tokens }) => (isDone ? 0 : (tokens.at(-1) ?? 0))),
      tokenPositions,
      lengths: Float32Array.from(tokenPositions),
      ...drawFeeds(batch, active),
    },
  });
  append(batch, active, chosen);
}

function open({ read, kept }: ResidentGraph, options: SessionOptions): Promise<ResidentSession<string, string>> {
  return makeResidentSession(read, kept, options);
}

function release(cache: Cache): void {
  for (const tensor of Object.values(cache)) tensor.close();
}

/** Size of a key–value cache: B rows and S tokens, with shape (B, KV, S, headWidth) per layer. */
type CacheShape = { readonly numRows: number; readonly cacheTokens: number };
/** Outputs of a graph: `read` ones are copied to the host, each (B, 1); `kept` ones stay on the device. */
type ResidentGraph = { readonly read: DecodeOutputs; readonly kept: DecodeOutputs };
type PromptShape = CacheShape & { readonly numPrompts: number; readonly promptTokens: number };

/**
 * Graph that processes P prompts of T tokens as `prefillGraph` does, adds their keys and values to the cache, and
 * chooses first tokens. Other feeds: `isStarting` (B, 1), 1 for rows whose prompt is among them; `source` (B) i64,
 * each row's prompt; the cache, except for a batch's first prompts; the feeds of `choiceGraph`.
 */
function startGraph(config: PolicyConfig, shape: PromptShape, kind: ChoiceKind & { isFirst: boolean }): ResidentGraph {
  const { numPrompts, promptTokens, numRows, cacheTokens } = shape;
  const { logits, ...fresh } = prefillGraph(config, numPrompts, promptTokens);
  if (!logits) throw new Error("a prefill without logits");
  const source = input("source", [numRows], "i64");
  const isStarting = greater(reshape(input("isStarting", [numRows, 1]), [numRows, 1, 1, 1]), 0);
  const seat = (name: string, tensor: Tensor): Tensor => {
    const begun = pad(gather(tensor, source), 2, [0, cacheTokens - promptTokens]);
    return where(isStarting, begun, kind.isFirst ? fill(0, [1]) : input(name, begun.shape));
  };
  return { read: choiceGraph(gather(logits, source), kind), kept: mapNames(fresh, seat) };
}

/**
 * Decoding graph that processes the newest token of each row as `stepGraph` does, adds its keys and values to the
 * cache, and chooses the next token. Feeds: `tokens` and `tokenPositions` (B, 1) i64; `lengths` (B, 1), which equals
 * `tokenPositions`, as f32; the cache; the feeds of `choiceGraph`.
 */
function continueGraph(config: PolicyConfig, { numRows, cacheTokens }: CacheShape, kind: ChoiceKind): ResidentGraph {
  const lengths = reshape(input("lengths", [numRows, 1]), [numRows, 1, 1, 1]);
  const along = (shape: readonly number[]): Tensor =>
    constant(
      Float32Array.from({ length: cacheTokens }, (_, i) => i),
      shape,
    );
  const places = along([1, 1, 1, cacheTokens]);
  const mask = where(greater(lengths, places), 0, MASKED);
  const { logits, ...fresh } = stepThrough(config, mask);
  if (!logits) throw new Error("a step without logits");
  const rows = along([1, 1, cacheTokens, 1]);
  const isNewest = greater(mul(isGreater(add(rows, 0.5), lengths), isGreater(add(lengths, 0.5), rows)), 0);
  const { numKeyValueHeads, headWidth } = dimensionsOf(config);
  const extend = (name: string, tensor: Tensor): Tensor =>
    where(isNewest, tensor, input(name, [numRows, numKeyValueHeads, cacheTokens, headWidth]));
  return { read: choiceGraph(logits, kind), kept: mapNames(fresh, extend) };
}

/** Shrinks a cache of B rows to B′ = `fewer` rows. Feed `seats` (B′) i64: index of each remaining row. */
function compactGraph(config: PolicyConfig, { numRows, cacheTokens }: CacheShape, fewer: number): ResidentGraph {
  const { numLayers, numKeyValueHeads, headWidth } = dimensionsOf(config);
  const seats = input("seats", [fewer], "i64");
  const names = Array.from({ length: numLayers }, (_, i) => [`keys${i}`, `values${i}`]).flat();
  const shape = [numRows, numKeyValueHeads, cacheTokens, headWidth];
  return { read: {}, kept: Object.fromEntries(names.map((name) => [name, gather(input(name, shape), seats)])) };
}

function mapNames(tensors: DecodeOutputs, apply: (name: string, tensor: Tensor) => Tensor): DecodeOutputs {
  return Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, apply(name, tensor)]));
}

type Row = DecodedRow & { readonly rng: Rng };
/** Keys and values of every layer, as tensors on the device. */
type Cache = Readonly<Record<string, DeviceTensor>>;
/** Sampled token, its log-probability and the entropy, by name; one number per slot of the cache. */
type Chosen = Readonly<Record<string, Float32Array>>;
/** Rows that are decoded together: their slots in the key–value cache, and how their tokens are chosen. */
type Batch = {
  readonly request: SampleRequest;
  readonly rows: readonly Row[];
  readonly kind: ChoiceKind;
  readonly prompts: readonly Int32Array[];
  readonly promptTokens: number;
  readonly cacheTokens: number;
  slots: readonly Row[];
  numSlots: number;
  cache: Cache;
};

/** Makes a batch of the prompts from index `first` on, as many as fit. Equal prompts are processed once. */
function seat(request: SampleRequest, first: number, limits: SamplerLimits): Batch {
  const { temperature = 1, topK = 0, topP = 1 } = request;
  const asked = request.prompts.slice(first, first + limits.batch);
  const promptTokens = promptBucket(asked, limits.maxPromptTokens);
  const known = new Map<string, number>();
  const prompts: Int32Array[] = [];
  const rows = asked.map((prompt, i): Row => {
    const rng = request.rngs[first + i];
    if (!rng) throw new RangeError(`no random stream for prompt ${first + i}`);
    if (prompt.length === 0) throw new RangeError("a prompt is empty");
    const key = prompt.join(" ");
    const promptIndex = known.get(key) ?? prompts.push(prompt) - 1;
    known.set(key, promptIndex);
    return { prompt, promptIndex, rng, tokens: [], logProbs: [], entropies: [], isDone: false };
  });
  return {
    request,
    rows,
    kind: { isGreedy: temperature === 0, topK, topP },
    prompts,
    promptTokens,
    cacheTokens: promptTokens + limits.maxResponseTokens,
    slots: rows,
    numSlots: rowBucket(rows.length, limits.batch),
    cache: {},
  };
}

/** Returns one integer per slot of the cache: `numberOf` its row, or 0 if the slot is free. */
function slotted({ slots, numSlots }: Batch, numberOf: (row: Row) => number): Int32Array {
  const numbers = new Int32Array(numSlots);
  for (const [slot, row] of slots.entries()) numbers[slot] = numberOf(row);
  return numbers;
}

/** Largest f32 number below 1, the upper limit of uniform numbers, since rounding to f32 could otherwise give 1. */
const largestDraw = 1 - 2 ** -24;

/** Inputs for choosing tokens: the inverse temperature and, unless greedy, one uniform number for each of `rows`. */
function drawFeeds({ slots, numSlots, kind, request }: Batch, rows: readonly Row[]): Feeds {
  const inverseTemperature = Float32Array.of(kind.isGreedy ? 1 : 1 / (request.temperature ?? 1));
  if (kind.isGreedy) return { inverseTemperature };
  const draws = new Float32Array(numSlots);
  for (const row of rows) draws[slots.indexOf(row)] = Math.min(row.rng.next(), largestDraw);
  return { inverseTemperature, draws };
}

function append({ slots, request }: Batch, rows: readonly Row[], { token, logProb, entropy }: Chosen): void {
  for (const row of rows) {
    const slot = slots.indexOf(row);
    const next = token?.[slot] ?? 0;
    row.tokens.push(next);
    row.logProbs.push(logProb?.[slot] ?? NaN);
    row.entropies.push(entropy?.[slot] ?? NaN);
    row.isDone = request.stopTokens.includes(next);
  }
}
