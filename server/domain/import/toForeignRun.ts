import { canonicalKey, toCanonical, type Dialect } from "../external/canonical.ts";
import type { LoggedStep } from "../external/point.ts";
import type { ForeignPoint, ForeignRun } from "./foreignRun.ts";

/** Steps under a trainer's own keys as a run under the catalogue's. Steps logged twice keep what was logged last. */
export function toForeignRun(name: string, steps: readonly LoggedStep[]): ForeignRun {
  const dialect = guessDialect(steps.flatMap(({ values }) => Object.keys(values)));
  const byStep = new Map<number, { values: Record<string, number>; atMs: number | undefined }>();
  for (const { step, values, atMs } of steps) {
    const known = byStep.get(step);
    byStep.set(step, { values: { ...known?.values, ...values }, atMs: atMs ?? known?.atMs });
  }
  const originals: Record<string, string> = {};
  const points = [...byStep].map(([iteration, { values, atMs }]): ForeignPoint => {
    const canonical = toCanonical(values, dialect);
    Object.assign(originals, canonical.originals);
    return { iteration, values: canonical.values, ...(atMs !== undefined && { atMs }) };
  });
  return { name, points: points.toSorted((a, b) => a.iteration - b.iteration), originals };
}

/** Whose keys they are: the dialect that knows more of them. */
export function guessDialect(keys: readonly string[]): Dialect {
  const distinct = [...new Set(keys)];
  const count = (dialect: Dialect) => distinct.filter((key) => canonicalKey(key, dialect) !== undefined).length;
  return count("trl") > count("verl") ? "trl" : "verl";
}
