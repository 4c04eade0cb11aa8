import { expect, it } from "vitest";
import { entriesOfPage, fixedEntries } from "./entries.ts";
import { matchEntries, splitNamed } from "./Palette.tsx";

const all = [...fixedEntries.actions, ...fixedEntries.pages];
const best = (words: string) => matchEntries(all, words)[0]?.id;

it.each([
  ["latex", "export table"],
  ["LaTeX", "export table"],
  ["parquet", "export runs"],
  ["cancel", "running"],
  ["stop", "running"],
  ["collapsed", "collapsed"],
  ["survival", "page /analysis/stability/survival"],
  ["compare", "page /analysis/compare"],
])("%s finds %s", (words, id) => {
  expect(best(words)).toBe(id);
});

it("tells sweeps that are named so from those with similar letters, which come after pages and actions", () => {
  const sweeps = ["Table 3, Sokoban", "Rescue of CISPO"].map((title) => ({
    id: title,
    title,
    action: { kind: "keys" } as const,
  }));
  const titles = (text: string) =>
    Object.values(splitNamed(sweeps, text)).map((part) => part.map(({ title }) => title));
  expect(titles("sokoban table")).toEqual([["Table 3, Sokoban"], ["Rescue of CISPO"]]);
  expect(titles("cost")).toEqual([[], ["Table 3, Sokoban", "Rescue of CISPO"]]);
  expect(titles("")).toEqual([["Table 3, Sokoban", "Rescue of CISPO"], []]);
});

it("finds what can be cancelled on the page at hand first", () => {
  const known = { isFavourite: false, isArchived: false, numToRetry: 0, canCancel: true };
  expect(matchEntries(entriesOfPage("/sweeps/a", known), "cancel")[0]?.id).toBe("here cancel");
  expect(matchEntries(entriesOfPage("/sweeps/a", known), "latex")[0]?.id).toBe("here table");
});
