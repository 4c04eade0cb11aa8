import type { Feeds } from "#trainer/onnx/session.ts";
import type { Chosen } from "./chooseToken.ts";
import type { Memory, Response } from "./sampling.ts";
import { makeRowCache, type CacheShape, type CacheStore, type Filled } from "./rowCache.ts";

export type RowShape = CacheShape & { readonly promptTokens: number };

/** Prompt and response so far of a row that is being decoded. */
export type DecodedRow = {
  readonly prompt: Int32Array;
  readonly promptIndex: number;
  readonly tokens: number[];
  readonly logProbs: number[];
  readonly entropies: number[];
  isDone: boolean;
};
type Row = DecodedRow & {
  isKept: boolean;
  /** Number of this row's tokens whose keys and values are in the cache. */
  numKnown: number;
};
type Occupied = { readonly slot: number; readonly index: number; readonly row: Row };
type Results = Readonly<Record<string, Float32Array>>;
/** Consecutive indices `start`, …, `start + count − 1`, of cache slots or of prompts. */
type Window = { readonly start: number; readonly count: number };
type Chooser = (logits: Float32Array, rowIndex: number) => Chosen & { isLast: boolean };

/** Responses that are decoded together. Each unfinished row occupies one slot of the key–value cache. */
export type Rows = {
  readonly numSlots: number;
  readonly cacheTokens: number;
  readonly numActive: () => number;
  /** Number of distinct prompts. Episodes of one group begin alike, and equal prompts are processed only once. */
  readonly numPrompts: number;
  /** Prefill inputs of the window's distinct prompts: right-padded tokens, last positions. */
  readonly promptFeeds: (window: Window) => Feeds;
  /** Stores the prompts' keys and values, (B, KV, T, headWidth), and chooses first response tokens. */
  readonly start: (read: Results, window: Window, choose: Chooser) => void;
  /** Copies cached prefixes into the window's slots. Returns the tokens after each, right-padded to `numTokens`. */
  readonly continueFeeds: (window: Window, memories: readonly Memory[], numTokens: number) => Feeds;
  /** Stores keys and values after the prefix, (B, KV, T, headWidth), and chooses first response tokens. */
  readonly resume: (read: Results, window: Window, choose: Chooser) => void;
  /** Passes index, keys and values of finished rows to `take`, once per row; of all rows if `isOver`. */
  readonly finish: (take: (index: number, kept: NonNullable<Memory["kept"]>) => void, isOver: boolean) => void;
  /** Inputs of one step: each active row's newest token and its position, the cache and its mask. */
  readonly stepFeeds: () => Feeds;
  /** Adds keys and values of the newest tokens, (B, KV, 1, headWidth), to the cache. */
  readonly extendCache: (next: Results) => void;
  /** Chooses and appends a token for each active row, from the logits of its slot. */
  readonly append: (results: Results, choose: Chooser) => void;
  /** Moves the active rows to the first slots and returns them with only `fewer` slots. */
  readonly compact: (fewer: number) => Rows;
  readonly responses: () => Response[];
};

/** Makes the rows for a list of prompts. Their key–value cache is in `store`, which no other rows may use meanwhile. */
export function makeRows(prompts: readonly Int32Array[], shape: RowShape, store: CacheStore): Rows {
  if (prompts.some(({ length }) => length === 0)) throw new RangeError("a prompt is empty");
  const known = new Map<string, number>();
  const unique: Int32Array[] = [];
  const rows = prompts.map((prompt): Row => {
    const key = Buffer.from(prompt.buffer, prompt.byteOffset, prompt.byteLength).toString("latin1");
    const promptIndex = known.get(key) ?? unique.push(prompt) - 1;
    known.set(key, promptIndex);
    return { prompt, promptIndex, tokens: [], logProbs: [], entropies: [], isDone: false, isKept: false, numKnown: 0 };
  });
  return withSlots({ rows, unique, slots: [...rows.keys()] }, shape, store);
}

/** Rows and their slots: `slots` contains the row index of each slot, `unique` the distinct prompts of the rows. */
type Seating = {
  readonly rows: readonly Row[];
  readonly unique: readonly Int32Array[];
  readonly slots: readonly number[];
};

function withSlots({ rows, unique, slots }: Seating, shape: RowShape, store: CacheStore): Rows {
  const { numSlots, cacheTokens, promptTokens } = shape;
  const cache = makeRowCache(shape, store);
  const occupied: Occupied[] = slots.flatMap((index, slot) => (rows[index] ? [{ slot, index, row: rows[index] }] : []));
  const active = (): Occupied[] => occupied.filter(({ row }) => !row.isDone);
  const filled = (seats: readonly Occupied[]): Filled[] =>
    seats.map(({ slot, row }) => ({ slot, numTokens: row.prompt.length + row.tokens.length }));

  return {
    ...conversing({ cache, occupied, shape }),
    numPrompts: unique.length,
    numSlots,
    cacheTokens,
    numActive: () => active().length,
    promptFeeds: (window) => layOutPrompts(unique, window, promptTokens),
    start(read, { start, count }, chooser) {
      const starting = occupied.filter(({ row }) => row.promptIndex >= start && row.promptIndex < start + count);
      const rowOf = (slot: number): number => (rows[slots[slot] ?? -1]?.promptIndex ?? start) - start;
      cache.copyIn({ arrays: read, numTokens: promptTokens, rowOf }, filled(starting));
      const { logits = new Float32Array() } = read;
      const size = logits.length / count;
      for (const seat of starting) {
        const offset = (seat.row.promptIndex - start) * size;
        appendToken(seat, logits.subarray(offset, offset + size), chooser);
      }
    },
    stepFeeds(): Feeds {
      const [tokens, tokenPositions] = [new Int32Array(numSlots), new Int32Array(numSlots)];
      for (const { slot, row } of active()) {
        tokens[slot] = row.tokens.at(-1) ?? 0;
        tokenPositions[slot] = row.prompt.length + row.tokens.length - 1;
      }
      return { tokens, tokenPositions, mask: cache.mask, ...cache.arrays };
    },
    extendCache: (next) => cache.extend(next, filled(active())),
    append({ logits = new Float32Array() }, chooser) {
      const size = logits.length / numSlots;
      for (const seat of active())
        appendToken(seat, logits.subarray(seat.slot * size, (seat.slot + 1) * size), chooser);
    },
    compact(fewer) {
      if (fewer >= numSlots) return this;
      const kept = active();
      cache.moveDown(kept.map(({ slot }) => slot));
      return withSlots({ rows, unique, slots: kept.map(({ index }) => index) }, { ...shape, numSlots: fewer }, store);
    },
    responses: () => rows.map(toResponse),
  };
}

export function toResponse({ tokens, logProbs, entropies, isDone }: DecodedRow): Response {
  return {
    tokens: Int32Array.from(tokens),
    logProbs: Float32Array.from(logProbs),
    entropies: Float32Array.from(entropies),
    isCut: !isDone,
  };
}

type Seated = { cache: ReturnType<typeof makeRowCache>; occupied: readonly Occupied[]; shape: RowShape };

/** Makes the functions for rows that continue a conversation from a cached prefix. */
function conversing({ cache, occupied, shape }: Seated): Pick<Rows, "continueFeeds" | "resume" | "finish"> {
  return {
    continueFeeds({ start, count }, memories, numTokens) {
      const [tokens, tokenPositions] = [new Int32Array(count * numTokens), new Int32Array(count * numTokens)];
      const lastIndices = Int32Array.from({ length: count }, (_, i) => i * numTokens);
      for (const { slot, index, row } of occupied.slice(start, start + count)) {
        const kept = memories[index]?.kept;
        const at = slot - start;
        row.numKnown = kept?.tokens.length ?? 0;
        const source = { arrays: kept?.arrays ?? {}, numTokens: row.numKnown, rowOf: () => 0 };
        cache.copyIn(source, [{ slot, numTokens: row.numKnown }]);
        const unread = row.prompt.subarray(row.numKnown);
        tokens.set(unread, at * numTokens);
        for (let i = 0; i < unread.length; i++) tokenPositions[at * numTokens + i] = row.numKnown + i;
        lastIndices[at] = at * numTokens + unread.length - 1;
      }
      return { tokens, tokenPositions, lastIndices, ...cache.window(start, count) };
    },
    resume(read, { start, count }, chooser) {
      const { logits = new Float32Array(), keys0 = new Float32Array() } = read;
      const numTokens = keys0.length / (count * shape.numKeyValueHeads * shape.headWidth);
      const size = logits.length / count;
      for (const seat of occupied.slice(start, start + count)) {
        const [{ slot, row }, at] = [seat, seat.slot - start];
        cache.insert(
          { arrays: read, numTokens, rowOf: () => at },
          { slot, from: row.numKnown, end: row.prompt.length },
        );
        appendToken(seat, logits.subarray(at * size, (at + 1) * size), chooser);
      }
    },
    finish(take, isOver) {
      for (const { slot, index, row } of occupied) {
        if (row.isKept || !(isOver || row.isDone)) continue;
        row.isKept = true;
        const tokens = Int32Array.of(...row.prompt, ...row.tokens.slice(0, -1));
        take(index, { tokens, arrays: cache.keep(slot, tokens.length) });
      }
    },
  };
}

function appendToken({ index, row }: Occupied, logits: Float32Array, chooser: Chooser): void {
  const { token, logProb, entropy, isLast } = chooser(logits, index);
  row.tokens.push(token);
  row.logProbs.push(logProb);
  row.entropies.push(entropy);
  row.isDone = isLast;
}

/** Returns the prefill inputs of a window of prompts: tokens, right-padded to `promptTokens`, and last positions. */
export function layOutPrompts(prompts: readonly Int32Array[], { start, count }: Window, promptTokens: number): Feeds {
  const tokens = new Int32Array(count * promptTokens);
  const selectedPositions = new Int32Array(count);
  const selectedIndices = new Int32Array(count);
  for (const [i, prompt] of prompts.slice(start, start + count).entries()) {
    tokens.set(prompt, i * promptTokens);
    selectedPositions[i] = prompt.length - 1;
    selectedIndices[i] = i * promptTokens + prompt.length - 1;
  }
  return { tokens, selectedPositions, selectedIndices };
}
