import type { Importance, Spread } from "#server/domain/importance/importance.ts";
import { formatPercent } from "#app/_charts/format.ts";

/** A figure as a bar: widths in per cent of its room. */
type Measure = { text: string; hint: string; width: number; low: number; high: number };
export type Bar = { title: string; share: Measure; loss?: Measure };

const mostPairs = 4;
/** Below this a pair is not worth a row. */
const leastPair = 0.01;

/** The parameters by their share, the largest first; then the pairs that add something. */
export function prepareBars(importance: Importance, titles: readonly string[]): { alone: Bar[]; pairs: Bar[] } {
  const { mains, losses, pairs } = importance;
  // A loss can exceed 1: then predictions are worse than the mean.
  const mostLost = Math.max(1, ...losses.map(({ mean }) => mean));
  const titleAt = (axis: number) => titles[axis] ?? "";
  const alone = mains.flatMap((share, axis): Bar[] => {
    const loss = losses[axis];
    return loss ? [{ title: titleAt(axis), share: toShare(share), loss: toLoss(loss, mostLost) }] : [];
  });
  const order = [...mains.keys()].sort((a, b) => (mains[b]?.mean ?? 0) - (mains[a]?.mean ?? 0));
  return {
    alone: order.flatMap((axis) => alone[axis] ?? []),
    pairs: pairs
      .filter(({ share }) => share.mean >= leastPair)
      .slice(0, mostPairs)
      .map(({ axes: [a, b], share }) => ({ title: `${titleAt(a)} × ${titleAt(b)}`, share: toShare(share) })),
  };
}

function toShare({ mean, low, high }: Spread): Measure {
  return {
    text: formatPercent(mean),
    hint: `${formatPercent(low)} to ${formatPercent(high)} in 95 % of the trees`,
    width: 100 * mean,
    low: 100 * low,
    high: 100 * high,
  };
}

function toLoss({ mean, low, high }: Spread, most: number): Measure {
  const within = (x: number) => Math.min(100, Math.max(0, (100 * x) / most));
  const format = (x: number) => x.toFixed(2).replace("-", "−").replace("−0.00", "0.00");
  return {
    text: format(mean),
    hint: `${format(low)} to ${format(high)} in 95 % of the shuffles`,
    width: within(mean),
    low: within(low),
    high: within(high),
  };
}
