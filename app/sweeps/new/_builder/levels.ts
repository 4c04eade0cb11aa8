import { Advantage, Aggregation, Clipping, Sampling } from "#trainer/spec/dimensions.ts";
import { methodNames, methodOf, type Method } from "#trainer/spec/method.ts";
import { explainIssue, formatPath } from "#server/domain/sweep/problems.ts";
import { readAt, setAt } from "#server/domain/sweep/path.ts";
import type { DimensionId, LevelDraft } from "./draft.ts";
import { fieldsOfLevel, pathInLevel } from "./fields.ts";
import { formatList, parseValues } from "./texts.ts";

/** A problem of one field of the form; `field` is the path within what was checked. */
export type FieldIssue = { field: string; message: string };

const schemas = { aggregation: Aggregation, clipping: Clipping, advantage: Advantage, sampling: Sampling };

/** Fields that may be left empty, which switches off what they belong to. */
export const optionalFields: readonly string[] = ["dual", "sequenceMask.delta"];

export function kindOf(level: Method[DimensionId]): string {
  return typeof level === "string" ? level : level.kind;
}

/** A level as texts. */
export function draftLevel(dimension: DimensionId, level: Method[DimensionId]): LevelDraft {
  const kind = kindOf(level);
  const texts = fieldsOfLevel(dimension, kind).map((field) => {
    const path = pathInLevel(field);
    const value = readAt(level, path);
    return [path, value === null || value === undefined ? "" : formatList([value])] as const;
  });
  return { kind, values: Object.fromEntries(texts) };
}

/** A level with the published parameters of the first method that has it. */
export function defaultLevel(dimension: DimensionId, kind: string): LevelDraft {
  const name = methodNames.find((candidate) => kindOf(methodOf(candidate)[dimension]) === kind);
  return name ? draftLevel(dimension, methodOf(name)[dimension]) : { kind, values: {} };
}

/** What a level draft means: one level, or the product of the values listed in its fields. */
export function expandLevel(dimension: DimensionId, draft: LevelDraft): { levels: unknown[]; issues: FieldIssue[] } {
  if (dimension === "aggregation") return { levels: [draft.kind], issues: [] };
  const issues: FieldIssue[] = [];
  let levels: Record<string, unknown>[] = [{ kind: draft.kind }];
  for (const field of fieldsOfLevel(dimension, draft.kind)) {
    const path = pathInLevel(field);
    const { values, problem } = parseValues(draft.values[path] ?? "", field);
    if (problem) issues.push({ field: path, message: problem });
    if (values.length > 0) levels = levels.flatMap((level) => values.map((value) => setAt(level, path, value)));
    else if (optionalFields.includes(path)) {
      const [top = path] = path.split(".");
      levels = levels.map((level) => ({ ...level, [top]: null }));
    }
  }
  for (const level of levels) {
    const { error } = schemas[dimension].safeParse(level, { reportInput: true });
    for (const { path, message } of error?.issues.flatMap(explainIssue) ?? []) {
      const field = formatPath(path);
      if (!issues.some((issue) => issue.field === field)) issues.push({ field, message });
    }
  }
  return { levels, issues };
}
