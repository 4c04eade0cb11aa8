import { formatNumber } from "#packages/base";
import { rankValue, type Column, type Table } from "./table.ts";

export type Mark = "best" | "second" | "none";

/**
 * Marks best and second of every column with a direction, within each block of rows. Ranking uses unrounded means;
 * cells equal as printed share a mark, and after two best there is no second. A single value gets no mark, nor does the
 * lesser of two.
 */
export function markBest({ columns, rows, isUnmarked }: Table): Mark[][] {
  const marks = rows.map(() => columns.map((): Mark => "none"));
  if (isUnmarked === true) return marks;
  const blocks = new Set(rows.map(({ block }) => block));
  for (const [c, column] of columns.entries()) {
    for (const block of blocks) {
      const shares = rows.flatMap(({ cells }) => (cells[c]?.kind === "share" ? [cells[c].k] : []));
      // If no run collapsed, there is no best.
      if (shares.length > 0 && shares.every((k) => k === 0)) continue;
      const values = rows.map((row) =>
        row.block === block && row.isReference !== true ? rankValue(row.cells[c]) : undefined,
      );
      for (const [r, mark] of rank(values, column).entries()) if (mark !== "none") marks[r]?.splice(c, 1, mark);
    }
  }
  return marks;
}

function rank(values: readonly (number | undefined)[], { better, format }: Column): Mark[] {
  const sign = better === "up" ? -1 : 1;
  const ranked = values.filter((x) => x !== undefined).toSorted((a, b) => sign * (a - b));
  if (better === "none" || ranked.length < 2) return values.map(() => "none");
  const printed = ranked.map((x) => formatNumber(x, format));
  const [best] = printed;
  const numBest = printed.filter((text) => text === best).length;
  const second = numBest === 1 && printed.length > 2 ? printed[1] : undefined;
  return values.map((x) => {
    if (x === undefined) return "none";
    const text = formatNumber(x, format);
    if (text === best) return "best";
    return text === second ? "second" : "none";
  });
}
