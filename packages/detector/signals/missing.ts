import { heldOutSuccess, trainingSuccess, describeMetric } from "#trainer/spec/metric.ts";
import { channelNames, channels, type ChannelName } from "./channels.ts";
import { isRate, type Point } from "./point.ts";

/** A detector rule that has no input in a run, with the metrics that it needs. */
export type Missing = { name: ChannelName | "performance" | "hacking"; title: string; needs: string };

/** Steps after which a metric counts as missing: some are logged only every few iterations. */
const minSteps = 10;

/** True if a run is long enough, or over, so that no further metric will appear. */
export function hasLoggedAll({ numSteps, isOver }: { numSteps: number; isOver: boolean }): boolean {
  return isOver || numSteps >= minSteps;
}

export function findMissing(points: readonly Point[]): Missing[] {
  const logged = new Set(points.flatMap(({ values }) => Object.keys(values)));
  const hasAny = (keys: readonly string[]) => keys.some((key) => logged.has(key));
  const titles = (keys: readonly string[]) => keys.map((key) => describeMetric(key).title).join(" or ");
  const rates = trainingSuccess.filter(isRate);
  const missing = channelNames.flatMap((name): Missing[] => {
    const { metrics, title } = channels[name];
    if (!hasAny(metrics)) return [{ name, title, needs: titles(metrics) }];
    return name === "returnSpread" && !hasAny(rates) ? [{ name, title, needs: titles(rates) }] : [];
  });
  const success = [...trainingSuccess, ...heldOutSuccess];
  if (!hasAny(success))
    missing.push({ name: "performance", title: "Success against its peak", needs: titles(success) });
  if (!hasAny(rates) || !logged.has("rollout/returnMean")) {
    const needs = `${titles(rates)}, beside ${titles(["rollout/returnMean"])}`;
    missing.push({ name: "hacking", title: "Reward hacking", needs });
  }
  return missing;
}
