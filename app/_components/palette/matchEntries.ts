import { defaultFilter } from "cmdk";
import type { Entry } from "./entries.ts";

/** Entries that match the text, best first by cmdk's score; all entries in order if the text is empty. */
export function matchEntries(entries: readonly Entry[], text: string): Entry[] {
  const words = text.trim();
  if (words === "") return [...entries];
  const scored = entries.map((entry) => ({
    entry,
    score: defaultFilter(entry.title, words, [...(entry.keywords ?? []), ...(entry.detail ?? "").split(/[\s,]+/)]),
  }));
  // Below this score the letters occur in the title only scattered.
  const found = scored.filter(({ score }) => score > 0.05);
  return found.toSorted((a, b) => b.score - a.score).map(({ entry }) => entry);
}
