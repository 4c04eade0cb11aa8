import type { Feeds } from "#trainer/onnx/session.ts";
import { MASKED } from "./transformer.ts";

export type RowShape = {
  readonly numLayers: number;
  readonly numHeads: number;
  readonly headWidth: number;
  /** Rows of the arrays, at least as many as there are active rows. */
  readonly numSlots: number;
  readonly promptTokens: number;
  readonly cacheTokens: number;
};

export type Response = {
  /** Ends with the stop token unless it was cut. */
  readonly tokens: Int32Array;
  /** Of each token, at the sampling temperature and before truncation by top-k and top-p. */
  readonly logProbs: Float32Array;
  readonly isCut: boolean;
};

type Row = { readonly prompt: Int32Array; readonly tokens: number[]; readonly logProbs: number[]; isDone: boolean };
type Results = Readonly<Record<string, Float32Array>>;
/** Slots start, …, start + count − 1. */
type Window = { readonly start: number; readonly count: number };
type Chooser = (logits: Float32Array, rowIndex: number) => { token: number; logProb: number; isLast: boolean };

/** The rows being decoded, their key–value cache, and which row sits in which slot of it. */
export type Rows = {
  readonly numSlots: number;
  readonly cacheTokens: number;
  readonly numActive: () => number;
  /** Right-padded prompts of a window of slots, and where each one ends. */
  readonly promptFeeds: (window: Window) => Feeds;
  /** Keys and values of those prompts, (B, H, T, headWidth). */
  readonly fillCache: (read: Results, window: Window) => void;
  /** The newest token of each active row, its position, and the cache as it is. */
  readonly stepFeeds: () => Feeds;
  /** Keys and values of the newest tokens, (B, H, 1, headWidth). */
  readonly extendCache: (next: Results) => void;
  /** Chooses a token for each active row of the window from its logits. */
  readonly append: (results: Results, window: Window, choose: Chooser) => void;
  /** The active rows alone, in fewer slots if that is fewer. */
  readonly compact: (fewer: number) => Rows;
  readonly responses: () => Response[];
};

export function makeRows(prompts: readonly Int32Array[], shape: RowShape): Rows {
  if (prompts.some(({ length }) => length === 0)) throw new RangeError("a prompt is empty");
  const rows = prompts.map((prompt): Row => ({ prompt, tokens: [], logProbs: [], isDone: false }));
  return withSlots({ rows, slots: [...rows.keys()] }, shape);
}

/** `slots` names the row in each slot. */
type Seating = { readonly rows: readonly Row[]; readonly slots: readonly number[] };
type Source = { readonly arrays: Results; readonly numTokens: number; readonly slotOf: (slot: number) => number };

function withSlots({ rows, slots }: Seating, shape: RowShape, source?: Source): Rows {
  const { numLayers, numHeads, headWidth, numSlots, cacheTokens } = shape;
  const names = Array.from({ length: numLayers }, (_, i) => [`keys${i}`, `values${i}`]).flat();
  const blockSize = cacheTokens * headWidth;
  const cache = new Map(names.map((name) => [name, new Float32Array(numSlots * numHeads * blockSize)]));
  const mask = new Float32Array(numSlots * cacheTokens).fill(MASKED);
  const occupied = slots.flatMap((index, slot) => (rows[index] ? [{ slot, index, row: rows[index] }] : []));
  const active = (): typeof occupied => occupied.filter(({ row }) => !row.isDone);

  /** Copies the leading tokens of every head of each occupied slot. */
  function copyIn({ arrays, numTokens, slotOf }: Source, targets: typeof occupied): void {
    const size = Math.min(numTokens, cacheTokens) * headWidth;
    for (const [name, target] of cache) {
      for (const { slot } of targets) {
        for (let head = 0; head < numHeads; head++) {
          const start = (slotOf(slot) * numHeads + head) * numTokens * headWidth;
          target.set(arrays[name]?.subarray(start, start + size) ?? [], (slot * numHeads + head) * blockSize);
        }
      }
    }
    for (const { slot, row } of targets) {
      mask.fill(0, slot * cacheTokens, slot * cacheTokens + row.prompt.length + Math.max(row.tokens.length - 1, 0));
    }
  }
  if (source) copyIn(source, occupied);

  return {
    numSlots,
    cacheTokens,
    numActive: () => active().length,

    promptFeeds(window): Feeds {
      const { promptTokens } = shape;
      const tokens = new Int32Array(window.count * promptTokens);
      const last = new Int32Array(window.count);
      for (const { slot, row } of within(window, occupied)) {
        const offset = (slot - window.start) * promptTokens;
        tokens.set(row.prompt, offset);
        last[slot - window.start] = offset + row.prompt.length - 1;
      }
      return { tokens, last };
    },
    fillCache(read, window) {
      const slotOf = (slot: number): number => slot - window.start;
      copyIn({ arrays: read, numTokens: shape.promptTokens, slotOf }, within(window, occupied));
    },
    stepFeeds(): Feeds {
      const [tokens, places] = [new Int32Array(numSlots), new Int32Array(numSlots)];
      for (const { slot, row } of active()) {
        tokens[slot] = row.tokens.at(-1) ?? 0;
        places[slot] = newestPosition(row);
      }
      return { tokens, places, mask, ...Object.fromEntries(cache) };
    },
    extendCache(next) {
      for (const { slot, row } of active()) {
        const position = newestPosition(row);
        for (const [name, target] of cache) {
          for (let head = 0; head < numHeads; head++) {
            const block = slot * numHeads + head;
            const fresh = next[name]?.subarray(block * headWidth, (block + 1) * headWidth);
            target.set(fresh ?? [], block * blockSize + position * headWidth);
          }
        }
        mask[slot * cacheTokens + position] = 0;
      }
    },
    append(results, window, choose) {
      const { logits = new Float32Array() } = results;
      const size = logits.length / window.count;
      for (const { slot, index, row } of within(window, active())) {
        const offset = (slot - window.start) * size;
        const { token, logProb, isLast } = choose(logits.subarray(offset, offset + size), index);
        row.tokens.push(token);
        row.logProbs.push(logProb);
        row.isDone = isLast;
      }
    },
    compact(fewer) {
      if (fewer >= numSlots) return this;
      const kept = active();
      const slotOf = (slot: number): number => kept[slot]?.slot ?? 0;
      const old = { arrays: Object.fromEntries(cache), numTokens: cacheTokens, slotOf };
      return withSlots({ rows, slots: kept.map(({ index }) => index) }, { ...shape, numSlots: fewer }, old);
    },
    responses: () =>
      rows.map(({ tokens, logProbs, isDone }) => ({
        tokens: Int32Array.from(tokens),
        logProbs: Float32Array.from(logProbs),
        isCut: !isDone,
      })),
  };
}

function within<Placed extends { slot: number }>({ start, count }: Window, placed: readonly Placed[]): Placed[] {
  return placed.filter(({ slot }) => slot >= start && slot < start + count);
}

function newestPosition({ prompt, tokens }: Row): number {
  return prompt.length + tokens.length - 1;
}
