import { expect, it } from "vitest";
import { toWordPatterns } from "./fuzzy.ts";

it("makes a pattern of every word, letters in order", () => {
  expect(toWordPatterns("  Skb  2")).toEqual([
    { exact: "\\mskb\\M", prefix: "\\mskb", fuzzy: "\\ms\\S*k\\S*b" },
    { exact: "\\m2\\M", prefix: "\\m2", fuzzy: "\\m2" },
  ]);
});

it("takes signs for themselves, and no more words than eight", () => {
  expect(toWordPatterns("(a.")).toEqual([{ exact: "\\(a\\.", prefix: "\\(a\\.", fuzzy: "\\(\\S*a\\S*\\." }]);
  expect(toWordPatterns("a b c d e f g h i j")).toHaveLength(8);
  expect(toWordPatterns("   ")).toEqual([]);
});
