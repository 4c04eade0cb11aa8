import { z } from "zod";
import { leavesOf } from "#trainer/spec/leaves.ts";
import { hyperparameterField, runFields, trackedField, type Field } from "#server/domain/runs/table/field.ts";
import { metricFields } from "#server/domain/runs/table/findField.ts";
import { titleOfSetting } from "#server/domain/plan/sweep/labels/settingTitles.ts";
import type { Pool } from "../../storage/client.ts";
import { readColumn, readRows } from "../../storage/readRows.ts";

/** Settings of all cells up to the id `upTo`. `isNumber`: true if all values of the setting are numbers. */
type Leaves = { upTo: number; numCells: number; isNumber: Map<string, boolean> };

const known = new WeakMap<Pool, Leaves>();

/** Lists the fields of the table of runs: built in, hyperparameters, metrics, parameters that programs logged. */
export async function readFields(pool: Pool): Promise<Field[]> {
  const [leaves, metrics, tracked] = await Promise.all([
    readLeaves(pool),
    readColumn(pool, z.string(), {
      sql: "SELECT key FROM metric_name AS n WHERE EXISTS (SELECT FROM metric_summary WHERE metric_id = n.id) ORDER BY 1",
    }),
    readColumn(pool, z.string(), { sql: "SELECT DISTINCT key FROM tracked_value WHERE kind = 'param' ORDER BY 1" }),
  ]);
  const own = new Set(runFields.map(({ key }) => key));
  return [
    ...runFields,
    ...[...leaves]
      .filter(([path]) => !own.has(path) && path !== "kind")
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, isNumber]) => hyperparameterField(path, { title: titleOfSetting(path), isNumber })),
    ...metrics.flatMap(metricFields),
    ...tracked.map(trackedField),
  ];
}

const CellRow = z.object({ id: z.number(), spec: z.unknown() });
const cellsAtOnce = 2000;

/** Lists all cells' settings. A cell never changes and is read once; after a deletion, all are read again. */
async function readLeaves(pool: Pool): Promise<ReadonlyMap<string, boolean>> {
  const before = known.get(pool);
  const [numKnown] = await readColumn(pool, z.number(), {
    sql: "SELECT count(*)::int AS n FROM cell WHERE id <= $1",
    values: [before?.upTo ?? 0],
  });
  const isWhole = before !== undefined && numKnown === before.numCells;
  const leaves: Leaves = isWhole
    ? { ...before, isNumber: new Map(before.isNumber) }
    : { upTo: 0, numCells: 0, isNumber: new Map() };
  for (;;) {
    const cells = await readRows(pool, CellRow, {
      sql: "SELECT id, spec FROM cell WHERE id > $1 ORDER BY id LIMIT $2",
      values: [leaves.upTo, cellsAtOnce],
    });
    for (const { spec } of cells) addLeaves(leaves.isNumber, spec);
    leaves.numCells += cells.length;
    leaves.upTo = cells.at(-1)?.id ?? leaves.upTo;
    if (cells.length < cellsAtOnce) break;
  }
  known.set(pool, leaves);
  return leaves.isNumber;
}

function addLeaves(isNumber: Map<string, boolean>, spec: unknown): void {
  for (const [path, value] of leavesOf(spec)) {
    const key = toField(path);
    if (key === undefined) continue;
    const before = isNumber.get(key);
    // null means that a parameter is off; the field's other values may still be numbers.
    if (value === null) isNumber.set(key, before ?? true);
    else isNumber.set(key, (before ?? true) && typeof value === "number");
  }
}

/** Returns a path's field name, if the table has one. A setting that a user entered has its name in a plan. */
function toField(path: readonly string[]): string | undefined {
  const [first, second, ...rest] = path;
  if (first !== "stated") return path.join(".");
  if (second === "method") return ["method", ...rest].join(".");
  return second === "settings" ? rest.join(".") : undefined;
}
