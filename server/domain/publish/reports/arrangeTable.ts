import { formatCount } from "#packages/base";
import { rankValue, type Row, type Table } from "#packages/tables";

/** Sorts the rows of a table of results by its first column that has a better direction, best first, per block. */
export function sortResults(table: Table): Table {
  const c = table.columns.findIndex(({ better }) => better !== "none");
  if (c < 0) return table;
  const sign = table.columns[c]?.better === "down" ? 1 : -1;
  const valueOf = ([row]: readonly Row[]) => (row?.cells[c] && rankValue(row.cells[c])) ?? sign * Infinity;
  // A row of changes stays below its row of results.
  const groups: Row[][] = [];
  for (const row of table.rows) {
    if (row.isChange === true) groups.at(-1)?.push(row);
    else groups.push([row]);
  }
  const placeOf = ([row]: readonly Row[]) => JSON.stringify([row?.block, row?.heading, row?.isReference]);
  const places = [...new Set(groups.map(placeOf))];
  const order = (group: readonly Row[]) => places.indexOf(placeOf(group));
  const sorted = groups.toSorted((a, b) => order(a) - order(b) || sign * (valueOf(a) - valueOf(b)) || 0);
  return { ...table, rows: sorted.flat() };
}

/** Leaves out a column of environments that repeats one value, and claims without a verdict, and says so. */
export function shortenTable(table: Table): Table {
  const c = table.columns.findIndex(({ key }) => key === "environment");
  const names = new Set(table.rows.map(({ cells }) => textOf(cells[c])));
  const [only] = names;
  const isRepeated = c >= 0 && names.size === 1 && only !== undefined && only !== "";
  const v = table.columns.findIndex(({ key }) => key === "verdict");
  const isOpen = ({ cells }: Row) => cells[v]?.kind === "text" && cells[v].key === "notEnough";
  const open = new Set(table.rows.filter(isOpen).map(({ block }) => block));
  const drop = <Item>(items: readonly Item[]) => items.filter((_, i) => !isRepeated || i !== c);
  return {
    ...table,
    ...(isRepeated && { caption: `${table.caption} Environment: ${only}.` }),
    columns: drop(table.columns),
    rows: table.rows.flatMap((row) => (isOpen(row) ? [] : [{ ...row, cells: drop(row.cells) }])),
    notes: [
      ...table.notes,
      ...(open.size > 0 ? [`Not shown: ${formatCount(open.size, "claim")} without enough runs for a verdict.`] : []),
    ],
  };
}

function textOf(cell: Row["cells"][number] | undefined): string | undefined {
  return cell?.kind === "text" ? cell.text : undefined;
}
