import { leavesOf } from "#trainer/spec/leaves.ts";
import { titleOfSetting } from "#server/domain/plan/sweep/labels/settingTitles.ts";
import { formatSetting } from "#packages/base";

/** Field by which charts shade, dash and split lines. */
export type CellField = {
  /** Key of the field: `environment`, `sweep`, or a path in the specification. */
  key: string;
  title: string;
  /** Ascending numbers, other values by name. */
  levels: string[];
  /** Cells without a value are omitted. */
  cells: { cellId: number; level: number }[];
};

type Cell = { id: number; sweepName: string; method: string; environment: string; spec: unknown };

/** More levels would give every line a style of its own. */
const maxLevels = 24;

/**
 * Lists environment and sweep if there are several, then settings that vary between configurations of the same method
 * and environment.
 */
export function listCellFields(cells: readonly Cell[]): CellField[] {
  const leaves = new Map(
    cells.map(({ id, spec }) => [id, new Map(leavesOf(spec).map(([path, value]) => [path.join("."), value]))]),
  );
  const paths = [...new Set([...leaves.values()].flatMap((ofCell) => [...ofCell.keys()]))];
  const varied = paths.filter((path) => isVaried(cells, ({ id }) => JSON.stringify(leaves.get(id)?.get(path))));
  return [
    toField(cells, { key: "environment", title: "Environment" }, ({ environment }) => environment),
    toField(cells, { key: "sweep", title: "Sweep" }, ({ sweepName }) => sweepName),
    ...varied.map((key) => toField(cells, { key, title: titleOfSetting(key) }, ({ id }) => leaves.get(id)?.get(key))),
  ].filter(({ levels }) => levels.length > 1 && levels.length <= maxLevels);
}

function isVaried(cells: readonly Cell[], valueOf: (cell: Cell) => string | undefined): boolean {
  const first = new Map<string, string | undefined>();
  return cells.some((cell) => {
    const peers = JSON.stringify([cell.method, cell.environment]);
    if (!first.has(peers)) first.set(peers, valueOf(cell));
    return first.get(peers) !== valueOf(cell);
  });
}

function toField(
  cells: readonly Cell[],
  name: { key: string; title: string },
  valueOf: (cell: Cell) => unknown,
): CellField {
  const values = cells.flatMap((cell) => {
    const value = valueOf(cell);
    return value === undefined ? [] : [{ cellId: cell.id, value }];
  });
  const distinct = new Map(values.map(({ value }) => [nameValue(value), value]));
  const levels = [...distinct].sort(([a, x], [b, y]) => compare(x, y) || (a < b ? -1 : 1)).map(([text]) => text);
  const placed = values.map(({ cellId, value }) => ({ cellId, level: levels.indexOf(nameValue(value)) }));
  return { ...name, levels, cells: placed };
}

function nameValue(value: unknown): string {
  if (value === null) return "off";
  if (typeof value === "number") return formatSetting(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Compares two values of a field: "off" is first, and numbers are in ascending order. */
function compare(a: unknown, b: unknown): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  return typeof a === "number" && typeof b === "number" ? a - b : 0;
}
