import type { z } from "zod";
import { Advantage, Aggregation, Clipping, Sampling } from "#trainer/spec/dimensions.ts";
import { methodNames, methodOf, type Method } from "#trainer/spec/method.ts";
import { explainIssue, formatPath } from "#server/domain/plan/sweep/problems.ts";
import type { Hyperparameter } from "#server/domain/plan/sweep/hyperparameters.ts";
import { readAt, setAt } from "#packages/base";
import type { DimensionId, LevelDraft } from "./draft.ts";
import { fieldsOfLevel, fieldsWithin, pathInLevel } from "./fields.ts";
import { formatList, parseValues } from "./texts.ts";

/** An error message for one form field; `field` is the field's path within the checked object. */
export type FieldIssue = { field: string; message: string };

const schemas = { aggregation: Aggregation, clipping: Clipping, advantage: Advantage, sampling: Sampling };

export function kindOf(level: Method[DimensionId]): string {
  return typeof level === "string" ? level : level.kind;
}

export function draftLevel(dimension: DimensionId, level: Method[DimensionId]): LevelDraft {
  const kind = kindOf(level);
  const texts = fieldsOfLevel(dimension, kind).map((field) => {
    const path = pathInLevel(field);
    const value = readAt(level, path);
    return [path, value === null || value === undefined ? "" : formatList([value])] as const;
  });
  return { kind, values: Object.fromEntries(texts) };
}

/** Returns the form texts of a level, with the published parameters of the first method that has this level. */
export function defaultLevel(dimension: DimensionId, kind: string): LevelDraft {
  const name = methodNames.find((candidate) => kindOf(methodOf(candidate)[dimension]) === kind);
  return name ? draftLevel(dimension, methodOf(name)[dimension]) : { kind, values: {} };
}

export function isPartOfLevelOn({ values }: LevelDraft, part: string): boolean {
  return fieldsWithin(part).some((field) => (values[pathInLevel(field)] ?? "").trim() !== "");
}

/** Returns one object per combination of listed values. An empty text becomes null if the field allows it. */
export function expandFields(
  start: Readonly<Record<string, unknown>>,
  fields: readonly { field: Hyperparameter; name: string }[],
  texts: Readonly<Record<string, string>>,
): { levels: Readonly<Record<string, unknown>>[]; issues: FieldIssue[] } {
  const issues: FieldIssue[] = [];
  let levels = [start];
  for (const { field, name } of fields) {
    const { values, problem } = parseValues(texts[name] ?? "", field);
    if (problem) issues.push({ field: name, message: problem });
    if (values.length > 0) levels = levels.flatMap((level) => values.map((value) => setAt(level, name, value)));
    else if (field.isNullable) levels = levels.map((level) => setAt(level, name, null));
  }
  return { levels, issues };
}

/** Converts a level's form texts to one level, or to one per combination of the values listed in them. */
export function expandLevel(dimension: DimensionId, draft: LevelDraft): { levels: unknown[]; issues: FieldIssue[] } {
  if (dimension === "aggregation") return { levels: [draft.kind], issues: [] };
  const all = fieldsOfLevel(dimension, draft.kind);
  // An optional object is off if none of its fields has a value.
  const isOff = ({ within }: Hyperparameter) => within !== undefined && !isPartOfLevelOn(draft, within);
  const absent = all.filter(isOff).map((field) => [pathInLevel(field).split(".")[0] ?? "", null] as const);
  const fields = all.filter((field) => !isOff(field)).map((field) => ({ field, name: pathInLevel(field) }));
  const start = { kind: draft.kind, ...Object.fromEntries(absent) };
  const { levels, issues } = expandFields(start, fields, draft.values);
  return { levels, issues: addRefusals(issues, schemas[dimension], levels) };
}

/** Adds the schema's messages about these levels to the issues, for fields that have none yet. */
export function addRefusals(
  issues: readonly FieldIssue[],
  schema: z.ZodType,
  levels: readonly unknown[],
): FieldIssue[] {
  const refusals = levels
    .flatMap((level) => schema.safeParse(level, { reportInput: true }).error?.issues.flatMap(explainIssue) ?? [])
    .map(({ path, message }) => ({ field: formatPath(path).replaceAll(/\[(\d+)\]/g, ".$1"), message }));
  return refusals.reduce<FieldIssue[]>(
    (all, one) => (all.some(({ field }) => field === one.field) ? all : [...all, one]),
    [...issues],
  );
}
