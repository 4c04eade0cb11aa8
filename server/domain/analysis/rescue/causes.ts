import { formatHyperparameter } from "#packages/base";
import { canonicalJson } from "#trainer/spec/canonical.ts";
import { methodOf } from "#trainer/spec/method.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { compareSpecs } from "../compare/differences.ts";

/**
 * Names the possible cause of each run's collapse: its settings, besides the method, that differ from those of other
 * runs. A value that more than half of the combinations of settings have is not named.
 */
export function nameCauses(specs: readonly RunSpec[]): string[] {
  const { differing } = compareSpecs(specs.map((spec) => ({ ...spec, seed: 0, method: methodOf("grpo") })));
  const settings = differing.filter(({ path }) => !path.endsWith(".kind"));
  const combinations = specs.map((_, i) => settings.map(({ values }) => values[i]));
  const distinct = [...new Map(combinations.map((values) => [canonicalJson(values.map(toKey)), values])).values()];
  return combinations.map((values) => {
    const parts = settings.flatMap(({ title }, s) => {
      const value = values[s];
      const numAlike = distinct.filter((other) => toKey(other[s]) === toKey(value)).length;
      return value === undefined || 2 * numAlike > distinct.length ? [] : [`${title} ${writeValue(value)}`];
    });
    return parts.length > 0 ? parts.join(", ") : "Usual settings";
  });
}

function toKey(value: unknown): string {
  return canonicalJson(value ?? null);
}

function writeValue(value: unknown): string {
  if (typeof value === "number") return formatHyperparameter(value);
  return typeof value === "string" ? value : toKey(value);
}
