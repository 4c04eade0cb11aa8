import type { GroupHead } from "#server/api/runs/groups.ts";
import { formatCount, formatPercent, formatTick, formatValue } from "#app/_charts/format.ts";
import { addCounts, tokenBins, type TokenCounts } from "#trainer/spec/tokenBins.ts";

/** Counts of one column: all kept iterations from the first to the last. */
export type HeatColumn = { from: number; to: number; counts: TokenCounts };

/** Maximum number of columns, at which a column is a few pixels wide on a phone. */
const maxColumns = 60;

/** Lists the counts by iteration; of more iterations than columns, neighbours are added. */
export function prepareHeat(groups: readonly GroupHead[]): HeatColumn[] {
  const counted = groups.flatMap(({ iteration, trained }) => (trained ? [{ iteration, counts: trained }] : []));
  const perColumn = Math.ceil(counted.length / maxColumns);
  const columns: HeatColumn[] = [];
  for (const [i, { iteration, counts }] of counted.entries()) {
    const last = columns.at(-1);
    if (last && i % perColumn > 0) {
      columns.splice(-1, 1, { from: last.from, to: iteration, counts: addCounts(last.counts, counts) });
    } else columns.push({ from: iteration, to: iteration, counts });
  }
  return columns;
}

export type HeatName = keyof TokenCounts;

/** Says within which bounds nine tenths of the tokens lie in the first and in the last column. */
export function sayHeat(name: HeatName, columns: readonly HeatColumn[]): string {
  const [first, last] = [columns[0], columns.at(-1)];
  if (!first || !last) return "";
  const spans = first === last ? [first] : [first, last];
  const said = spans.map((column) => `${boundOf(name, column.counts)} in ${sayIterations(column)}`);
  return `90\u00A0% of the tokens are ${said.join(", and ")}. The darker, the more tokens; rare values are darkened.`;
}

function boundOf(name: HeatName, counts: TokenCounts): string {
  const edges = tokenBins[name];
  const of = counts[name];
  const total = of.reduce((sum, x) => sum + x, 0);
  const middle = edges.length / 2;
  let within = of[middle] ?? 0;
  for (let k = 0; k < middle; k++) {
    if (within >= 0.9 * total) return `within ±${formatValue(edges[middle + k] ?? NaN)}`;
    within += (of[middle - k - 1] ?? 0) + (of[middle + k + 1] ?? 0);
  }
  return `not within ±${formatValue(edges.at(-1) ?? NaN)}`;
}

const sayIterations = ({ from, to }: HeatColumn): string =>
  from === to ? `iteration ${from}` : `iterations ${from} to ${to}`;

/** A cell that has tokens: `share` of its column's tokens, and the same in words. */
type HeatCell = { column: number; bin: number; share: number; words: string };

export function listCells(name: HeatName, columns: readonly HeatColumn[]): HeatCell[] {
  return columns.flatMap((column, at) => {
    const of = column.counts[name];
    const total = of.reduce((sum, x) => sum + x, 0);
    return of.flatMap((count, bin) => {
      if (count === 0) return [];
      const share = count / total;
      const words = `${sayIterations(column)}: ${sayBin(name, bin)}, ${formatCount(count, "token")} (${formatPercent(share)})`;
      return [{ column: at, bin, share, words }];
    });
  });
}

function sayBin(name: HeatName, bin: number): string {
  const [from, to] = [tokenBins[name][bin - 1], tokenBins[name][bin]];
  if (from === undefined) return `below ${formatValue(to ?? NaN)}`;
  return to === undefined ? `${formatValue(from)} or more` : `${formatValue(from)} to ${formatValue(to)}`;
}

/** Returns counts as rows of a file, with all bins, so that files of several runs can be added. */
export function toHeatRows(name: HeatName, columns: readonly HeatColumn[]): (string | number)[][] {
  const edges = tokenBins[name];
  const rows = columns.flatMap(({ from, to, counts }) =>
    counts[name].map((count, bin) => [from, to, edges[bin - 1] ?? "", edges[bin] ?? "", count]),
  );
  return [["first_iteration", "last_iteration", "from", "to", "tokens"], ...rows];
}

/** Returns what the vertical axis names, as positions among the bins: every second decade, or whole advantages. */
export function heatTicks(name: HeatName): { ticks: number[]; format: (position: number) => string } {
  const edges = tokenBins[name];
  const middle = edges.length / 2;
  const format = (position: number) => {
    // A whole advantage is the middle of its bin; the open bins have none.
    const [below, above] = [edges[Math.ceil(position) - 2], edges[Math.ceil(position) - 1]];
    const isEdge = Number.isInteger(position);
    return formatTick(isEdge ? (above ?? NaN) : ((below ?? NaN) + (above ?? NaN)) / 2);
  };
  if (name === "advantage") return { ticks: [-3, -2, -1, 0, 1, 2, 3].map((x) => middle + 0.5 + 4 * x), format };
  const above = [1, 3, 5].map((decade) => middle + 1 + 4 * decade);
  return { ticks: [...above.map((tick) => edges.length + 1 - tick).toReversed(), ...above], format };
}
