import { z } from "zod";
import { isMetricKey } from "#trainer/spec/metric.ts";
import { badInput } from "#packages/base";

/** Metric name in a file → metric of the catalogue, or the name itself if the catalogue has none. */
export const ChosenNames = z.record(z.string().min(1).max(500), z.string().min(1).max(500));
export type ChosenNames = z.infer<typeof ChosenNames>;

/** Throws `bad_input` for an unknown metric and for two names of one metric. */
export function checkChosen(chosen: ChosenNames): ChosenNames {
  const owners = new Map<string, string>();
  for (const [name, metric] of Object.entries(chosen)) {
    if (metric === name) continue;
    if (!isMetricKey(metric)) {
      const message = `"${metric}" is no metric here; "${name}" itself keeps the name as it is`;
      throw badInput([{ path: `column ${name}`, message }]);
    }
    const other = owners.get(metric);
    if (other !== undefined) {
      throw badInput([{ path: `column ${name}`, message: `${metric} is already what ${other} becomes` }]);
    }
    owners.set(metric, name);
  }
  return chosen;
}
