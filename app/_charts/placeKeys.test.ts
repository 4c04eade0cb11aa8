import { expect, it } from "vitest";
import { placeKeys } from "./placeKeys.ts";

const key = (label: string) => ({ label, color: "red" });

it("wraps names that have no room in a row, and takes no room for none", () => {
  const { items, height } = placeKeys(["GRPO", "GSPO", "A name that is long enough for a row"].map(key), {
    width: 200,
    fontSize: 10,
  });
  expect(items.map(({ x }) => x > 0)).toEqual([false, true, false]);
  expect(items[2]?.y).toBeGreaterThan(items[1]?.y ?? Infinity);
  expect(height).toBeGreaterThan(items[2]?.y ?? Infinity);
  expect(placeKeys([], { width: 200, fontSize: 10 })).toEqual({ height: 0, items: [] });
});
