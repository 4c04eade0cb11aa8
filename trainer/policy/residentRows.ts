import type { DeviceTensor } from "#trainer/onnx/deviceTensor.ts";
import type { Feeds } from "#trainer/onnx/session.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import type { ChoiceKind } from "./chooseToken.ts";
import { promptBucket, rowBucket, type SampleRequest, type Response, type SamplerLimits } from "./sampling.ts";

export type Row = {
  readonly prompt: Int32Array;
  readonly promptIndex: number;
  readonly rng: Rng;
  readonly tokens: number[];
  readonly logProbs: number[];
  readonly entropies: number[];
  isDone: boolean;
};
/** Keys and values of every layer, on the device. */
export type Cache = Readonly<Record<string, DeviceTensor>>;
/** Token, log-probability and entropy of each slot. */
export type Chosen = Readonly<Record<string, Float32Array>>;
/** The rows of one batch: their assignment to slots of the cache, and how their tokens are chosen. */
export type Batch = {
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

/** Seats the prompts of a request from `first` on, as many as fit a batch. Equal prompts are read once. */
export function seat(request: SampleRequest, first: number, limits: SamplerLimits): Batch {
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

/** A number for the row in each slot, 0 in free slots. */
export function slotted({ slots, numSlots }: Batch, numberOf: (row: Row) => number): Int32Array {
  const numbers = new Int32Array(numSlots);
  for (const [slot, row] of slots.entries()) numbers[slot] = numberOf(row);
  return numbers;
}

/** The largest single-precision number below 1. A uniform number in [0, 1) could otherwise be rounded up to 1. */
const largestDraw = 1 - 2 ** -24;

/** One uniform number for each of these rows, unless sampling is greedy. */
export function drawFeeds({ slots, numSlots, kind, request }: Batch, rows: readonly Row[]): Feeds {
  const inverseTemperature = Float32Array.of(kind.isGreedy ? 1 : 1 / (request.temperature ?? 1));
  if (kind.isGreedy) return { inverseTemperature };
  const draws = new Float32Array(numSlots);
  for (const row of rows) draws[slots.indexOf(row)] = Math.min(row.rng.next(), largestDraw);
  return { inverseTemperature, draws };
}

export function append({ slots, request }: Batch, rows: readonly Row[], { token, logProb, entropy }: Chosen): void {
  for (const row of rows) {
    const slot = slots.indexOf(row);
    const next = token?.[slot] ?? 0;
    row.tokens.push(next);
    row.logProbs.push(logProb?.[slot] ?? NaN);
    row.entropies.push(entropy?.[slot] ?? NaN);
    row.isDone = request.stopTokens.includes(next);
  }
}

/** Prompts as right-padded rows, and the length of each. */
export function layOut(
  prompts: readonly Int32Array[],
  { numPrompts, promptTokens }: { numPrompts: number; promptTokens: number },
): Feeds {
  const tokens = new Int32Array(numPrompts * promptTokens);
  const [selectedPositions, selectedIndices] = [new Int32Array(numPrompts), new Int32Array(numPrompts)];
  for (const [i, prompt] of prompts.entries()) {
    tokens.set(prompt, i * promptTokens);
    selectedPositions[i] = prompt.length - 1;
    selectedIndices[i] = i * promptTokens + prompt.length - 1;
  }
  return { tokens, selectedPositions, selectedIndices };
}

export function toResponse({ tokens, logProbs, entropies, isDone }: Row): Response {
  return {
    tokens: Int32Array.from(tokens),
    logProbs: Float32Array.from(logProbs),
    entropies: Float32Array.from(entropies),
    isCut: !isDone,
  };
}
