import { guessDialect, makeNamer } from "../external/namer.ts";
import type { LoggedStep } from "../external/point.ts";
import type { ForeignPoint, ForeignRun } from "./foreignRun.ts";

/** Steps under a trainer's own keys as a run under the catalogue's. Steps logged twice keep what was logged last. */
export function toForeignRun(name: string, steps: readonly LoggedStep[]): ForeignRun {
  const nameMetrics = makeNamer(guessDialect(steps.flatMap(({ values }) => Object.keys(values))));
  const byStep = new Map<number, { values: Record<string, number>; atMs: number | undefined }>();
  for (const { step, values, atMs } of steps) {
    const known = byStep.get(step);
    byStep.set(step, { values: { ...known?.values, ...values }, atMs: atMs ?? known?.atMs });
  }
  const originals: Record<string, string> = {};
  const points = [...byStep].map(([iteration, { values, atMs }]): ForeignPoint => {
    const named = nameMetrics(values);
    Object.assign(originals, named.originals);
    return { iteration, values: named.values, ...(atMs !== undefined && { atMs }) };
  });
  return { name, points: points.toSorted((a, b) => a.iteration - b.iteration), originals };
}
