import type { AddressPart } from "./address.ts";

/**
 * Id of the baseline configuration in the URL (`?from=12`, `?from=none`); undefined: the page's default; null: no
 * baseline.
 */
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

/** Returns the baseline as input of tRPC procedures that compare with it; undefined leaves the choice to the server. */
export function askBaseline(cellId: number | null | undefined): { baseline?: number | null } {
  return cellId === undefined ? {} : { baseline: cellId };
}
