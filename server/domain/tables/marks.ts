import { formatNumber } from "./number.ts";
import { rankValue, type Table } from "./table.ts";

export type Mark = "best" | "second" | "none";

/**
 * Best and second of every column with a direction, by row and column. Ranked on unrounded means; cells that look
 * equal as printed share a mark, and where two are best there is no second. A column of one value has no best.
 */
export function markBest(table: Table): Mark[][] {
  const byColumn = table.columns.map((column, c) => {
    if (column.better === "none") return table.rows.map((): Mark => "none");
    const sign = column.better === "up" ? -1 : 1;
    const values = table.rows.map(({ cells }) => rankValue(cells[c]));
    const ranked = values.filter((x) => x !== undefined).toSorted((a, b) => sign * (a - b));
    const printed = ranked.map((x) => formatNumber(x, column.format));
    const [first] = printed;
    const numBest = printed.filter((text) => text === first).length;
    const second = numBest === 1 && printed.length > 2 ? printed[1] : undefined;
    return values.map((x): Mark => {
      if (x === undefined || ranked.length < 2) return "none";
      const text = formatNumber(x, column.format);
      if (text === first) return "best";
      return text === second ? "second" : "none";
    });
  });
  return table.rows.map((_, r) => byColumn.map((marks) => marks[r] ?? "none"));
}
