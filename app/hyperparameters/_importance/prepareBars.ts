import type { Importance, Spread } from "#server/domain/importance/importance.ts";
import { formatPercent } from "#app/_charts/format.ts";

/** A value as a bar; widths are percentages of the column. */
type Measure = { text: string; hint: string; width: number; low: number; high: number };
export type Bar = { title: string; share: Measure; loss?: Measure };

const maxPairs = 4;
/** Pairs with a smaller fraction of the variance get no row. */
const minPair = 0.01;

/** Hyperparameters by importance, largest first; then pairs with an interaction. */
export function prepareBars(importance: Importance, titles: readonly string[]): { alone: Bar[]; pairs: Bar[] } {
  const { mains, losses, pairs } = importance;
  // A loss can exceed 1: then predictions are worse than the mean.
  const maxLost = Math.max(1, ...losses.map(({ mean }) => mean));
  const titleAt = (axis: number) => titles[axis] ?? "";
  const alone = mains.flatMap((share, axis): Bar[] => {
    const loss = losses[axis];
    return loss ? [{ title: titleAt(axis), share: toShare(share), loss: toLoss(loss, maxLost) }] : [];
  });
  const order = [...mains.keys()].sort((a, b) => (mains[b]?.mean ?? 0) - (mains[a]?.mean ?? 0));
  return {
    alone: order.flatMap((axis) => alone[axis] ?? []),
    pairs: pairs
      .filter(({ share }) => share.mean >= minPair)
      .slice(0, maxPairs)
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
    hint: `${format(low)} to ${format(high)} in 95 % of the permutations`,
    width: within(mean),
    low: within(low),
    high: within(high),
  };
}
