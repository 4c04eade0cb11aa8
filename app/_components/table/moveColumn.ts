import type { Table } from "#packages/tables";

/** Moves a column left, before another, so that narrow screens show it without scrolling. */
export function moveColumn({ columns, rows, ...table }: Table, moved: string, before: string): Table {
  const find = (name: string): number => columns.findIndex(({ key }) => key === name);
  const [from, to] = [find(moved), find(before)];
  if (from < 0 || to < 0) return { columns, rows, ...table };
  const move = <Item>(items: readonly Item[]): Item[] =>
    items.toSpliced(from, 1).toSpliced(to, 0, ...items.slice(from, from + 1));
  return { ...table, columns: move(columns), rows: rows.map((row) => ({ ...row, cells: move(row.cells) })) };
}
