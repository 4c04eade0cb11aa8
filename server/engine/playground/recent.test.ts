import { expect, it } from "vitest";
import { makeRecent } from "./recent.ts";

function makeCounted(most: number) {
  const [made, closed]: [string[], string[]] = [[], []];
  const recent = makeRecent<string>(most, {
    make: async (key) => {
      made.push(key);
      if (key === "broken") throw new Error("cannot be made");
      return key;
    },
    close: (value) => void closed.push(value),
  });
  return { ...recent, made, closed };
}

it("makes a value once, and closes the one that was used longest ago when there are too many", async () => {
  const { use, made, closed } = makeCounted(2);
  for (const key of ["a", "b", "a", "c", "a"]) expect(await use(key, (value) => value)).toBe(key);
  expect(made).toEqual(["a", "b", "c"]);
  expect(closed).toEqual(["b"]);
});

it("does not close a value under its user", async () => {
  const { use, closed } = makeCounted(1);
  const seen: string[][] = [];
  await use("a", async () => {
    await use("b", () => {});
    seen.push([...closed]);
  });
  expect(seen).toEqual([[]]);
  expect(closed).toEqual(["a"]);
});

it("tries again what could not be made", async () => {
  const { use, made, keys } = makeCounted(2);
  await expect(use("broken", () => {})).rejects.toThrow("cannot be made");
  await expect(use("broken", () => {})).rejects.toThrow("cannot be made");
  expect(made).toHaveLength(2);
  expect(keys()).toEqual([]);
});
