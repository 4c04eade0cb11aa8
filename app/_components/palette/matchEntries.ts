import { defaultFilter } from "cmdk";
import type { Entry } from "./entries.ts";

/** The entries that match the text, the best first by cmdk's score; all of them in their order where the text is empty. */
export function matchEntries(entries: readonly Entry[], text: string): Entry[] {
  const words = text.trim();
  if (words === "") return [...entries];
  const scored = entries.map((entry) => ({
    entry,
    score: defaultFilter(entry.title, words, [...(entry.keywords ?? []), ...(entry.detail ?? "").split(/[\s,]+/)]),
  }));
  // A lower score means that the typed letters are merely somewhere in the title, far from each other.
  const found = scored.filter(({ score }) => score > 0.05);
  return found.toSorted((a, b) => b.score - a.score).map(({ entry }) => entry);
}
