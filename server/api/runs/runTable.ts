import type { Database } from "#server/db/storage/client.ts";
import { readFields } from "#server/db/runs/table/catalogue.ts";
import { readGroups } from "#server/db/runs/table/groups.ts";
import {
  readFieldValues,
  readMatching,
  readRunWindow,
  type Asked,
  type MatchingRun,
} from "#server/db/runs/table/rows.ts";
import { AppError, badInput } from "#packages/base";
import { shortLabel } from "#server/domain/plan/sweep/labels/labelTitles.ts";
import type { Field } from "#server/domain/runs/table/field.ts";
import { indexFields, type FieldIndex } from "#server/domain/runs/table/findField.ts";
import { resolveFilter } from "#server/domain/runs/table/resolveFilter.ts";
import { sortGroups, summariseGroup, type RunGroup } from "#server/domain/runs/table/summariseGroup.ts";
import { completeGroupBy } from "#server/domain/runs/table/completeGroupBy.ts";
import type { RunView } from "#server/domain/runs/table/scope.ts";

/** Maximum numbers of groups, and of selected runs, that are sent to a browser. */
const maxGroups = 2000;
export const maxSelected = 20_000;

export async function readRunTable(
  { pool }: Database,
  { offset, limit, ...view }: Omit<RunView, "groupBy"> & { offset: number; limit: number },
) {
  return readRunWindow(pool, await resolveView(pool, view), { offset, limit });
}

export async function readRunGroups(
  { pool }: Database,
  { groupBy, order, ...view }: RunView,
): Promise<{ groups: (RunGroup & { titles: RunGroup["keys"] })[] }> {
  const index = indexFields(await readFields(pool));
  const by = completeGroupBy(groupBy).map((key) => findOrRefuse(index, key));
  if (by.length === 0) throw badInput([{ path: "groupBy", message: "name one to four fields to group by" }]);
  const { conditions, columns } = resolveAsked(index, { ...view, order: [] });
  const raw = await readGroups(pool, { conditions, columns, by }, maxGroups + 1);
  if (raw.length > maxGroups) {
    throw new AppError(
      "too_large",
      `these fields give more than ${maxGroups} groups; group by fewer fields, or filter the runs`,
    );
  }
  const groups = sortGroups(
    raw.map((group) => summariseGroup(group, columns)),
    order,
    { by, columns },
  );
  return { groups: groups.map((group) => withTitles(group, { by, columns })) };
}

/** Adds readable titles to a group of runs. Its keys stay unchanged, because a filter finds the runs by them. */
function withTitles(group: RunGroup, { by, columns }: { by: readonly Field[]; columns: readonly Field[] }) {
  const titleOf = <Value>(value: Value, field: Field | undefined) =>
    typeof value === "string" && field?.key === "configuration" ? shortLabel(value) : value;
  return {
    ...group,
    titles: group.keys.map((key, i) => titleOf(key, by[i])),
    cells: group.cells.map((cell, i) =>
      cell.kind === "same" ? { ...cell, value: titleOf(cell.value, columns[i]) } : cell,
    ),
  };
}

export async function readRunIdsOf(
  { pool }: Database,
  view: Pick<RunView, "filter" | "order">,
): Promise<MatchingRun[]> {
  const asked = await resolveView(pool, { ...view, columns: [] });
  const runs = await readMatching(pool, asked, maxSelected + 1);
  if (runs.length > maxSelected) throw new AppError("too_large", `more than ${maxSelected} runs match; filter them`);
  return runs;
}

export async function readValuesOf({ pool }: Database, { field, text }: { field: string; text: string }) {
  const index = indexFields(await readFields(pool));
  return readFieldValues(pool, findOrRefuse(index, field), { text, limit: 12 });
}

/** Resolves columns, filter and order of a table view to existing fields. Throws `bad_input` for unknown fields. */
async function resolveView(pool: Database["pool"], view: Omit<RunView, "groupBy">): Promise<Asked> {
  return resolveAsked(indexFields(await readFields(pool)), view);
}

function resolveAsked(index: FieldIndex, { filter, columns, order }: Omit<RunView, "groupBy">): Asked {
  return {
    ...resolveOrRefuse(filter, index),
    columns: columns.map((key) => findOrRefuse(index, key)),
    order: order.map(({ field, isDescending }) => ({ field: findOrRefuse(index, field), isDescending })),
  };
}

/** Throws `bad_input` with the position of each problem. */
export function resolveOrRefuse(filter: string, index: FieldIndex) {
  const { conditions, problems } = resolveFilter(filter, index);
  if (problems.length === 0) return { conditions };
  throw badInput(problems.map(({ start, message }) => ({ path: `filter, character ${start + 1}`, message })));
}

function findOrRefuse(index: FieldIndex, key: string): Field {
  const field = index.find(key);
  if (field) return field;
  const close = index.suggest(key);
  const hint = close.length > 0 ? `; did you mean ${close.join(" or ")}?` : "";
  throw badInput([{ path: "columns", message: `runs have no field ${key}${hint}` }]);
}
