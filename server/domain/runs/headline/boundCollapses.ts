import { formatCount, formatNumber } from "#packages/base";
import type { CollapseCount } from "#packages/detector";
import { wilsonInterval } from "#packages/statistics";

/**
 * Bounds the collapse rate of groups without a collapse by the widest Wilson interval, in which unclear runs count as
 * collapsed: "3 runs of a group cannot exclude a collapse rate up to 56 %".
 */
export function boundCollapses(groups: readonly CollapseCount[], of = ""): string {
  const bounds = groups.map(({ numJudged, numUnclear }) => {
    const { high } = wilsonInterval(numUnclear, numJudged);
    return { high, text: `${formatCount(numJudged, "run")}${of}` };
  });
  const [widest] = bounds.toSorted((a, b) => b.high - a.high);
  if (!widest) return "";
  return `${widest.text} cannot exclude a collapse rate up to ${formatNumber(widest.high, { shift: 2, decimals: 0 })} %`;
}
