import type { Dimensions } from "./dimensions.ts";
import { MASKED } from "./heads.ts";

export type CacheShape = Pick<Dimensions, "numLayers" | "numKeyValueHeads" | "headWidth"> & {
  /** Number of rows in the cache's arrays, at least the number of active rows. */
  readonly numSlots: number;
  readonly cacheTokens: number;
};

/** Returns a reusable array by name and length, with the content from its last use. */
export type CacheStore = (name: string, length: number) => Float32Array;

/** Makes a store of reusable arrays, because mapping new memory page by page takes time. */
export function makeCacheStore(): CacheStore {
  const arrays = new Map<string, Float32Array<ArrayBuffer>>();
  return (name, length) => {
    const last = arrays.get(name);
    if (last?.length === length) return last;
    const isLargeEnough = last && last.buffer.byteLength >= length * last.BYTES_PER_ELEMENT;
    const floats = isLargeEnough ? new Float32Array(last.buffer, 0, length) : new Float32Array(length);
    arrays.set(name, floats);
    return floats;
  };
}

/** Slot of the cache whose first `numTokens` positions are filled. */
export type Filled = { readonly slot: number; readonly numTokens: number };

/** Keys and values by name, (rows, KV, numTokens, headWidth), and the row that is copied into each slot. */
export type CacheSource = {
  readonly arrays: Readonly<Record<string, Float32Array>>;
  readonly numTokens: number;
  readonly rowOf: (slot: number) => number;
};

export type Inserted = { readonly slot: number; readonly from: number; readonly end: number };

/** Cache on the host: keys and values, (slots, KV, S, headWidth), and the mask of filled positions. */
export function makeRowCache(shape: CacheShape, store: CacheStore) {
  const { numLayers, numKeyValueHeads: numHeads, headWidth, numSlots, cacheTokens } = shape;
  const blockSize = cacheTokens * headWidth;
  const slotSize = numHeads * blockSize;
  const names = Array.from({ length: numLayers }, (_, i) => [`keys${i}`, `values${i}`]).flat();
  const cache = names.map((name) => [name, store(name, numSlots * slotSize)] as const);
  const mask = store("mask", numSlots * cacheTokens);
  return {
    ...partsOf({ shape, cache, mask }),
    mask,
    arrays: Object.fromEntries(cache),
    /** Copies tokens into each target's slot; zeros the rest, where an earlier row's values could be infinite. */
    copyIn({ arrays, numTokens, rowOf }: CacheSource, targets: readonly Filled[]): void {
      const size = numTokens * headWidth;
      for (const [name, target] of cache) {
        const source = arrays[name] ?? new Float32Array();
        for (const { slot } of targets) {
          for (let head = 0; head < numHeads; head++) {
            const [from, to] = [(rowOf(slot) * numHeads + head) * size, (slot * numHeads + head) * blockSize];
            target.set(source.subarray(from, from + size), to);
            target.fill(0, to + size, to + blockSize);
          }
        }
      }
      for (const { slot, numTokens } of targets) {
        mask.fill(0, slot * cacheTokens, slot * cacheTokens + numTokens);
        mask.fill(MASKED, slot * cacheTokens + numTokens, (slot + 1) * cacheTokens);
      }
    },
    /** Adds the newest tokens' keys and values, (slots, KV, 1, headWidth); `numTokens` includes them. */
    extend(next: Readonly<Record<string, Float32Array>>, targets: readonly Filled[]): void {
      for (const [name, target] of cache) {
        const fresh = next[name] ?? new Float32Array();
        for (const { slot, numTokens } of targets) {
          for (let head = 0; head < numHeads; head++) {
            const from = (slot * numHeads + head) * headWidth;
            const to = (slot * numHeads + head) * blockSize + (numTokens - 1) * headWidth;
            // A library call for so few numbers takes ten times as long as this loop.
            for (let i = 0; i < headWidth; i++) target[to + i] = fresh[from + i] ?? NaN;
          }
        }
      }
      for (const { slot, numTokens } of targets) mask[slot * cacheTokens + numTokens - 1] = 0;
    },
    /** Moves the contents of `slots`, given in ascending order, to the first slots. */
    moveDown(slots: readonly number[]): void {
      for (const [to, from] of slots.entries()) {
        if (to === from) continue;
        for (const [, array] of cache) array.copyWithin(to * slotSize, from * slotSize, (from + 1) * slotSize);
        mask.copyWithin(to * cacheTokens, from * cacheTokens, (from + 1) * cacheTokens);
      }
    },
  };
}

type Arrays = { shape: CacheShape; cache: readonly (readonly [string, Float32Array])[]; mask: Float32Array };

/** Functions for single slots: copying them out, adding tokens to them, viewing a range of them. */
function partsOf({ shape: { numKeyValueHeads: numHeads, headWidth, cacheTokens }, cache, mask }: Arrays) {
  const blockSize = cacheTokens * headWidth;
  const slotSize = numHeads * blockSize;
  return {
    /** Copies the first tokens of one slot out of the cache: (KV, numTokens, headWidth) per array. */
    keep(slot: number, numTokens: number): Record<string, Float32Array> {
      const size = numTokens * headWidth;
      const copyOf = (array: Float32Array): Float32Array => {
        const copy = new Float32Array(numHeads * size);
        for (let head = 0; head < numHeads; head++) {
          const from = (slot * numHeads + head) * blockSize;
          copy.set(array.subarray(from, from + size), head * size);
        }
        return copy;
      };
      return Object.fromEntries(cache.map(([name, array]) => [name, copyOf(array)]));
    },
    /** Writes a row's first tokens, (rows, KV, T, headWidth), to positions `from` ≤ t < `end` of a slot. */
    insert({ arrays, numTokens, rowOf }: CacheSource, { slot, from, end }: Inserted): void {
      const size = (end - from) * headWidth;
      for (const [name, target] of cache) {
        const source = arrays[name] ?? new Float32Array();
        for (let head = 0; head < numHeads; head++) {
          const start = (rowOf(slot) * numHeads + head) * numTokens * headWidth;
          target.set(source.subarray(start, start + size), (slot * numHeads + head) * blockSize + from * headWidth);
        }
      }
      mask.fill(0, slot * cacheTokens + from, slot * cacheTokens + end);
    },
    /** Returns views of the cache's slots start, …, start + count − 1, without copying. */
    window(start: number, count: number): Record<string, Float32Array> {
      const part = (array: Float32Array, size: number): Float32Array =>
        array.subarray(start * size, (start + count) * size);
      return {
        mask: part(mask, cacheTokens),
        ...Object.fromEntries(cache.map(([name, array]) => [name, part(array, slotSize)])),
      };
    },
  };
}
