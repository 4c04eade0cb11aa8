import type { Field } from "#server/domain/runtable/field.ts";
import { quote } from "#server/domain/runtable/splitWords.ts";

/** Filter for the runs of one group: the table's filter, and the group's values. */
export function groupFilter(filter: string, by: readonly Field[], keys: readonly (string | null)[]): string {
  const words = by.flatMap((field, i) => {
    const key = keys[i] ?? null;
    if (key === null) return [`-${field.key}:*`];
    if (field.type === "list") return key.split(", ").map((item) => `${field.key}=${quote(item)}`);
    return [`${field.key}=${quote(key)}`];
  });
  return [filter.trim(), ...words].filter((word) => word !== "").join(" ");
}
