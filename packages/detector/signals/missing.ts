import { heldOutSuccess, trainingSuccess, describeMetric } from "#trainer/spec/metric.ts";
import { channelNames, channels, type ChannelName } from "./channels.ts";
import { isRate, type Point } from "./point.ts";

/** A detector rule that has no input in a run, with the metrics that it needs. */
export type Missing = { name: ChannelName | "performance" | "hacking"; title: string; needs: string };

/**
 * Number of steps after which a metric without values counts as missing: some metrics are logged only every few
 * iterations.
 */
const minSteps = 10;

/** True if a run is long enough, or over, so that a metric without values will not appear any more. */
export function hasLoggedAll({ numSteps, isOver }: { numSteps: number; isOver: boolean }): boolean {
  return isOver || numSteps >= minSteps;
}

/** Finds the detector rules without input in a run, with the titles of the metrics that they need. */
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
