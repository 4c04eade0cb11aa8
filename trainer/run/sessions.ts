import type { BatchShape } from "./batch.ts";

/** Sessions by batch shape, made at first use. */
export type Sessions<S> = { at(shape: BatchShape): Promise<S>; close(): Promise<void> };

export function makeSessions<S extends { close(): Promise<void> }>(
  make: (shape: BatchShape) => Promise<S>,
): Sessions<S> {
  const made = new Map<string, Promise<S>>();
  return {
    at(shape) {
      const key = `${shape.numRows} ${shape.numTokens} ${shape.numPlaces}`;
      const known = made.get(key) ?? make(shape);
      made.set(key, known);
      return known;
    },
    async close() {
      for (const session of made.values()) await (await session).close();
      made.clear();
    },
  };
}
