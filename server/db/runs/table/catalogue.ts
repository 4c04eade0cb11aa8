import { z } from "zod";
import { leavesOf } from "#trainer/spec/leaves.ts";
import { hyperparameterField, runFields, trackedField, type Field } from "#server/domain/runs/table/field.ts";
import { metricFields } from "#server/domain/runs/table/findField.ts";
import { titleOfSetting } from "#server/domain/plan/sweep/settingTitles.ts";
import type { Pool } from "../../storage/client.ts";
import { readRows } from "../../storage/readRows.ts";

/**
 * Setting names in the specifications of all cells up to the id `upTo`; `isNumber` is true if all values of the
 * setting are numbers.
 */
type Leaves = { upTo: number; numCells: number; isNumber: Map<string, boolean> };

const known = new WeakMap<Pool, Leaves>();

/**
 * Lists every field that the table of runs can show: built-in fields, hyperparameters, metrics, and parameters that
 * external programs logged.
 */
export async function readFields(pool: Pool): Promise<Field[]> {
  const [leaves, metrics, tracked] = await Promise.all([
    readLeaves(pool),
    readTexts(
      pool,
      "SELECT key AS text FROM metric_name AS n WHERE EXISTS (SELECT FROM metric_summary WHERE metric_id = n.id) ORDER BY 1",
    ),
    readTexts(pool, "SELECT DISTINCT key AS text FROM tracked_value WHERE kind = 'param' ORDER BY 1"),
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

/**
 * Lists the setting names of all cells' specifications. A cell never changes and is read once; after a deletion, all
 * cells are read again.
 */
async function readLeaves(pool: Pool): Promise<ReadonlyMap<string, boolean>> {
  const before = known.get(pool);
  const counted = await readRows(pool, z.object({ n: z.number() }), {
    sql: "SELECT count(*)::int AS n FROM cell WHERE id <= $1",
    values: [before?.upTo ?? 0],
  });
  const isWhole = before !== undefined && counted[0]?.n === before.numCells;
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

/**
 * Returns the field name of a path in a cell's specification; undefined if the table has no field for it. A setting
 * that a user entered has the name of the same setting in a plan.
 */
function toField(path: readonly string[]): string | undefined {
  const [first, second, ...rest] = path;
  if (first !== "stated") return path.join(".");
  if (second === "method") return ["method", ...rest].join(".");
  return second === "settings" ? rest.join(".") : undefined;
}

async function readTexts(pool: Pool, sql: string): Promise<string[]> {
  return (await readRows(pool, z.object({ text: z.string() }), { sql })).map(({ text }) => text);
}
