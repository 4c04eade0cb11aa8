import { createHash } from "node:crypto";
import type { Series } from "#packages/statistics";

/** Metrics of training. Times, memory and throughput differ between equal runs. */
const training = /^(rollout|evaluation|policy|update|loss)\//;

/** Hashes a run's training metrics at every step; null if none changes, because constant values are no evidence. */
export function hashCurves(series: readonly Series[]): string | null {
  const own = series.filter(({ key }) => training.test(key)).toSorted((a, b) => (a.key < b.key ? -1 : 1));
  if (!own.some(({ values }) => values.some((value) => !Object.is(value, values[0])))) return null;
  const hash = createHash("sha256");
  for (const { key, iterations, values } of own)
    hash.update(`${key} ${values.length} `).update(iterations).update(values);
  return hash.digest("hex").slice(0, 32);
}
