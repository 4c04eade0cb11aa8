import { leavesOf } from "#trainer/spec/leaves.ts";
import { formatSetting } from "#packages/base";
import type { PlannedDraft } from "../draft/draft.ts";

/** Settings of one environment as rows, for one method or for all (undefined), by their path in the plan's base. */
export function listAttached({ base = {}, methods = {} }: NonNullable<PlannedDraft["attached"]>) {
  const rowsOf = (settings: object, method?: string) =>
    leavesOf(settings).map(([path, value]) => ({ method, path: path.join("."), value: write(value) }));
  return [...rowsOf(base), ...Object.entries(methods).flatMap(([name, values]) => rowsOf(values, name))];
}

function write(value: unknown): string {
  if (value === null) return "off";
  if (typeof value === "number") return formatSetting(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}
