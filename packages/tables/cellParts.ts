import { type Bounded, type Interval, spreadFrom, withinValues, writeInterval } from "#packages/statistics";
import { formatNumber, formatP, type NumberFormat } from "#packages/base";
import { type CellChange, type Column, rankValue, type Row, type Table, type TableCell } from "./table.ts";

/** Texts of a cell, rounded once for all output formats. */
export type CellParts =
  | { kind: "text"; text: string; latex?: string }
  | { kind: "missing"; marks: readonly string[]; isDiverged: boolean }
  | NumberParts
  | { kind: "change"; text: string; isPercent: boolean };

export type NumberParts = {
  kind: "number";
  text: string;
  spread: Spread;
  /** Averaged columns if some are missing, such as "2 of 3"; else empty. */
  partOf: string;
  /** Change such as "↑19.2 %"; empty if not shown. */
  change: string;
  stars: string;
  numCollapsed: number;
  marks: readonly string[];
};

export type Spread = { kind: "none" } | { kind: "plusMinus"; text: string } | { kind: "interval"; text: string };

const none: Spread = { kind: "none" };
const plain = { partOf: "", change: "", stars: "", numCollapsed: 0, marks: [] } as const;

export function toParts(cell: TableCell | undefined, column: Column): CellParts {
  const { format, better } = column;
  switch (cell?.kind) {
    case undefined:
      return { kind: "missing", marks: [], isDiverged: false };
    case "missing":
      return { kind: "missing", marks: cell.marks ?? [], isDiverged: cell.isDiverged ?? false };
    case "text":
      return cell;
    case "number":
      return {
        kind: "number",
        text: format.isP === true ? formatP(cell.value) : formatNumber(cell.value, format),
        spread: none,
        ...plain,
        partOf: cell.partOf ? `${cell.partOf.n} of ${cell.partOf.of}` : "",
        change: describeChange(cell.change, format),
      };
    case "share":
      return { kind: "number", text: `${cell.k}/${cell.n}`, spread: none, ...plain };
    case "change": {
      const cellFormat = cell.of === "percent" ? { shift: 0, decimals: 1 } : format;
      const text = formatNumber(cell.value, cellFormat);
      const isPercent = cell.of === "percent";
      return { kind: "change", text: text.startsWith("-") ? text : `+${text}`, isPercent };
    }
    case "meanStd": {
      const { interval } = spreadFrom(cell, metricOf(column));
      return { kind: "number", text: formatNumber(cell.mean, format), spread: besideOf(interval, format), ...plain };
    }
    case "estimate": {
      const { mean, shown, stars, numCollapsed = 0, marks } = cell;
      const spread: Spread =
        shown.kind === "plusMinus"
          ? { kind: "plusMinus", text: formatNumber(shown.value, format) }
          : besideOf(shown.kind === "interval" ? fromMinimum(shown, mean, column) : null, format);
      const text = formatNumber(mean, format);
      const change = describeChange(cell.change, format);
      // A star means "better", so it requires a column with a better direction.
      const shownStars = better === "none" ? "" : stars;
      return { kind: "number", text, spread, partOf: "", change, stars: shownStars, numCollapsed, marks };
    }
  }
}

type Markup = {
  nan: string;
  none: string;
  percent: string;
  text: (parts: { text: string; latex?: string }) => string;
  number: (text: string) => string;
  change: (text: string) => string;
  spread: (text: string, isPlusMinus: boolean) => string;
  stars: (stars: string) => string;
  dagger: (numCollapsed: number) => string;
  superscript: (signs: string) => string;
  aside: (text: string) => string;
  best: (text: string) => string;
  second: (text: string) => string;
};

/** Writes mean with its mark, spread, stars and footnotes. */
export function makeCellWriter(markup: Markup) {
  const superscript = (signs: readonly string[]) => (signs.length === 0 ? "" : markup.superscript(signs.join(",")));
  return (cell: TableCell | undefined, column: Column, mark: Mark): string => {
    const parts = toParts(cell, column);
    switch (parts.kind) {
      case "missing":
        return (parts.isDiverged ? markup.nan : markup.none) + superscript(parts.marks);
      case "text":
        return markup.text(parts);
      case "change":
        return markup.change(parts.text) + (parts.isPercent ? markup.percent : "");
      case "number": {
        const { spread, stars, numCollapsed, marks, partOf, change } = parts;
        const text = markup.number(parts.text);
        const beside = spread.kind === "none" ? "" : markup.spread(spread.text, spread.kind === "plusMinus");
        const daggers = numCollapsed > 0 ? [markup.dagger(numCollapsed)] : [];
        const signs = superscript([...(stars === "" ? [] : [markup.stars(stars)]), ...daggers, ...marks]);
        const behind = [partOf, change].filter(Boolean).map((remark) => markup.aside(remark));
        return (mark === "none" ? text : markup[mark](text)) + beside + signs + behind.join("");
      }
    }
  };
}

/** Formats an interval; empty if all seeds have the same value, so that the interval has zero width. */
function besideOf(interval: Interval | null, format: NumberFormat): Spread {
  if (interval === null || interval.low === interval.high) return none;
  return { kind: "interval", text: writeInterval(interval, format).replaceAll("−", "-") };
}

/** Cuts an interval at the column's minimum. A column of differences has none: they can be negative, also in percent. */
export function fromMinimum(interval: Interval, mean: number, { min }: Column): Interval {
  return withinValues(interval, { unit: "", min }, mean);
}

/** Returns unit and minimum of a column's metric: a column in percent shows fractions. */
export function metricOf({ unit = "", min }: Column): Bounded {
  return { unit: unit === "%" ? "fraction" : unit, min };
}

/** Formats a change with an arrow for its sign, which does not tell if the change is better. */
function describeChange(change: CellChange | undefined, format: NumberFormat): string {
  if (!change) return "";
  const isPercent = change.of === "percent";
  const text = formatNumber(Math.abs(change.value), isPercent ? { shift: 0, decimals: 1 } : format);
  return `${change.value < 0 ? "↓" : "↑"}${text}${isPercent ? " %" : ""}`;
}

/** True for a column of text, which is left-aligned. */
export function isTextColumn(rows: readonly { cells: readonly TableCell[]; isChange?: boolean }[], column: number) {
  return rows.some(({ cells, isChange }) => isChange !== true && cells[column]?.kind === "text");
}

/** Lists shared headers; the name is empty for a column without one. */
export function columnGroups(columns: readonly Column[]): { name: string; from: number; span: number }[] {
  const groups: { name: string; from: number; span: number }[] = [];
  for (const [i, { group = "" }] of columns.entries()) {
    const open = groups.at(-1);
    if (open && open.name === group && group !== "") open.span += 1;
    else groups.push({ name: group, from: i, span: 1 });
  }
  return groups.every(({ name }) => name === "") ? [] : groups;
}

export type Mark = "best" | "second" | "none";

/**
 * Marks the best and the second value per column, block and task, ranked unrounded. Cells printed alike share a mark; after
 * two best values there is no second. A single value gets no mark, nor does the worse of two.
 */
export function markBest({ columns, rows, isUnmarked }: Table): Mark[][] {
  const marks = rows.map(() => columns.map((): Mark => "none"));
  if (isUnmarked === true) return marks;
  for (const [c, column] of columns.entries()) {
    const groupOf = ({ block = "", tasks }: Row): string => `${block}\n${tasks?.[c] ?? ""}`;
    for (const group of new Set(rows.map(groupOf))) {
      const own = rows.filter((row) => groupOf(row) === group);
      const shares = own.flatMap(({ cells }) => (cells[c]?.kind === "share" ? [cells[c].k] : []));
      // If no run collapsed, no method is marked as the best.
      if (shares.length > 0 && shares.every((k) => k === 0)) continue;
      const values = rows.map((row) =>
        groupOf(row) === group && row.isReference !== true ? rankValue(row.cells[c]) : undefined,
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
  // A value that more than half of the rows share marks none of them.
  if (printed.length > 2 && numBest > printed.length / 2) return values.map(() => "none");
  const second = numBest === 1 && printed.length > 2 ? printed[1] : undefined;
  return values.map((x) => {
    if (x === undefined) return "none";
    const text = formatNumber(x, format);
    if (text === best) return "best";
    return text === second ? "second" : "none";
  });
}
