import { type AddressPart, withValue } from "./address.ts";

/** Id of the baseline configuration in the URL; undefined: the page's default; null (`?from=none`): no baseline. */
export const baselinePart: AddressPart<number | null | undefined> = {
  parse: (query) => {
    const text = query.get("from") ?? "";
    if (text === "none") return null;
    return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  },
  write: (query, cellId) => withValue(query, "from", cellId === null ? "none" : String(cellId ?? "")),
};

/** Returns the baseline as input of tRPC procedures that compare with it; undefined leaves the choice to the server. */
export function askBaseline(cellId: number | null | undefined): { baseline?: number | null } {
  return cellId === undefined ? {} : { baseline: cellId };
}
