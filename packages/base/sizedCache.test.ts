import * as fc from "fast-check";
import { expect, test } from "vitest";
import { makeSizedCache } from "./sizedCache.ts";

const step = fc.record({
  key: fc.constantFrom("a", "b", "c", "d", "e"),
  numBytes: fc.integer({ min: 0, max: 60 }),
  isFind: fc.boolean(),
});

test("it keeps what was used last and fits, as a list that is searched from its end", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const cache = makeSizedCache<number>(100);
      let used: { key: string; value: number; numBytes: number }[] = [];
      for (const [i, { key, numBytes, isFind }] of steps.entries()) {
        const found = used.find((one) => one.key === key);
        used = used.filter((one) => one !== found);
        if (isFind) {
          expect(cache.find(key)).toBe(found?.value);
          if (found) used.push(found);
          continue;
        }
        cache.keep(key, i, numBytes);
        if (numBytes > 100) continue;
        used.push({ key, value: i, numBytes });
        while (used.reduce((sum, one) => sum + one.numBytes, 0) > 100) used.shift();
      }
      const last = new Map(used.map(({ key, value }) => [key, value]));
      for (const key of ["a", "b", "c", "d", "e"]) expect(cache.find(key)).toBe(last.get(key));
    }),
  );
});

test("a value above the total is not kept, and neither is its older version", () => {
  const cache = makeSizedCache<string>(10);
  cache.keep("key", "small", 4);
  cache.keep("key", "large", 11);
  expect(cache.find("key")).toBeUndefined();
});
