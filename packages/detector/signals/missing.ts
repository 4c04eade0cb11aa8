import { heldOutSuccess, trainingSuccess, describeMetric } from "#trainer/spec/metric.ts";
import { channelNames, channels, type ChannelName } from "./channels.ts";
import { isRate, type Point } from "./point.ts";

/** A detector rule whose metrics a run does not log. */
export type Missing = { name: ChannelName | "performance" | "hacking"; title: string; needs: string };

/**
 * Minimum number of steps before a metric counts as missing, because some metrics are logged only every few iterations.
 */
const minSteps = 10;

/** True if a run has logged at least once all metrics that it logs at all. */
export function hasLoggedAll({ numSteps, isOver }: { numSteps: number; isOver: boolean }): boolean {
  return isOver || numSteps >= minSteps;
}

/** Detector rules without input in a run, with the titles of the metrics that they need. */
export function findMissing(points: readonly Point[]): Missing[] {
  const logged = new Set(points.flatMap(({ values }) => Object.keys(values)));
  const hasAny = (keys: readonly string[]) => keys.some((key) => logged.has(key));
  const titles = (keys: readonly string[]) => keys.map((key) => describeMetric(key).title).join(" or ");
  const hasSuccess = hasAny(trainingSuccess);
  const rates = trainingSuccess.filter(isRate);
  const missing = channelNames.flatMap((name): Missing[] => {
    const { metrics, title } = channels[name];
    if (!hasAny(metrics)) return [{ name, title, needs: titles(metrics) }];
    return name === "returnSpread" && !hasAny(rates) ? [{ name, title, needs: titles(rates) }] : [];
  });
  const isHackingBlind = !hasAny(rates) || !logged.has("rollout/returnMean");
  return [
    ...missing,
    ...(hasSuccess || hasAny(heldOutSuccess)
      ? []
      : [
          {
            name: "performance",
            title: "Success against its peak",
            needs: titles([...trainingSuccess, ...heldOutSuccess]),
          } as const,
        ]),
    ...(isHackingBlind
      ? [
          {
            name: "hacking",
            title: "Reward hacking",
            needs: `${titles(rates)}, beside ${titles(["rollout/returnMean"])}`,
          } as const,
        ]
      : []),
  ];
}
