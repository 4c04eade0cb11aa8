import { describeMetric } from "#trainer/spec/metric.ts";
import { channelNames, channels, type ChannelName } from "./channels.ts";
import { heldOutSuccess, isRate, trainingSuccess, type Point } from "./point.ts";

/** A part of the rules that a run gives nothing to read. */
export type Missing = { name: ChannelName | "performance" | "hacking"; needs: string };

/** Which rules were blind for a run, and what they would have needed, in the catalogue's titles. */
export function findMissing(points: readonly Point[]): Missing[] {
  const logged = new Set(points.flatMap(({ values }) => Object.keys(values)));
  const hasAny = (keys: readonly string[]) => keys.some((key) => logged.has(key));
  const title = (keys: readonly string[]) => keys.map((key) => describeMetric(key).title).join(" or ");
  const hasSuccess = hasAny(trainingSuccess);
  const rates = trainingSuccess.filter(isRate);
  const missing = channelNames.flatMap((name): Missing[] => {
    const { metrics } = channels[name];
    if (!hasAny(metrics)) return [{ name, needs: title(metrics) }];
    return name === "returnSpread" && !hasAny(rates) ? [{ name, needs: title(rates) }] : [];
  });
  const isHackingBlind = !hasAny(rates) || !logged.has("rollout/returnMean");
  return [
    ...missing,
    ...(hasSuccess || hasAny(heldOutSuccess)
      ? []
      : [{ name: "performance", needs: title([...trainingSuccess, ...heldOutSuccess]) } as const]),
    ...(isHackingBlind
      ? [{ name: "hacking", needs: `${title(rates)}, beside ${title(["rollout/returnMean"])}` } as const]
      : []),
  ];
}
