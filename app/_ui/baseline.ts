import type { AddressPart } from "./address.ts";

/** Baseline configuration in the URL (`?from=12`, `?from=none`): undefined for the page's default, null for none. */
export const baselinePart: AddressPart<number | null | undefined> = {
  parse: (query) => {
    const text = query.get("from") ?? "";
    if (text === "none") return null;
    return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  },
  write: (query, cellId) => {
    const written = new URLSearchParams(query);
    if (cellId === undefined) written.delete("from");
    else written.set("from", cellId === null ? "none" : String(cellId));
    return written;
  },
};

/** Converts the baseline to the input of procedures that compare with it. */
export function askBaseline(cellId: number | null | undefined): { baseline?: number | null } {
  return cellId === undefined ? {} : { baseline: cellId };
}
