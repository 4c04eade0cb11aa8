import { groupBy } from "#packages/base";
import { clusteredRateInterval, type Interval } from "#packages/statistics";
import { isAtRisk, type JudgedBranch, listArms } from "./branchOutcome.ts";
import { nothing } from "./rescueArms.ts";

/**
 * Latest time at which a change to a collapsing run prevents the collapse: the iteration, or over several runs the
 * iterations before the first alarm.
 */
export type LatestSaving = {
  arm: string;
  /** True for unchanged branches. */
  isNothing: boolean;
  /** Null, also in the interval, if no tried time prevents a collapse. */
  at: number | null;
  /** Latest times at which the 95 % interval of the fraction saved lies above one half, and reaches it. */
  interval: { low: number | null; high: number | null };
};

/**
 * Finds the latest saving time of each change, and of unchanged branches to compare with, which come last. Branches that
 * had fallen before the change do not count.
 */
export function latestSavings<Run extends JudgedBranch>(
  runs: readonly Run[],
  timeOf: (run: Run) => number,
): LatestSaving[] {
  const judged = runs.filter(isAtRisk);
  const arms = listArms(judged).toSorted((a, b) => Number(a === nothing) - Number(b === nothing));
  return arms.map((arm): LatestSaving => {
    const own = judged.filter((run) => run.arm === arm);
    const times = [...groupBy(own, timeOf)].toSorted(([a], [b]) => a - b).map(([time, some]) => toShare(time, some));
    return { arm, isNothing: arm === nothing, ...findLatest(times) };
  });
}

type Share = { time: number; weight: number; share: number; interval: Interval };

function toShare(time: number, runs: readonly JudgedBranch[]): Share {
  const isSaved = ({ outcome }: JudgedBranch): boolean => outcome !== "collapsed";
  const clusters = [...groupBy(runs, ({ origin }) => origin).values()].map((own) => {
    return { k: own.filter(isSaved).length, n: own.length };
  });
  const weight = runs.length;
  return { time, weight, share: runs.filter(isSaved).length / weight, interval: clusteredRateInterval(clusters) };
}

/**
 * Finds the latest time at which at least half of the branches do not collapse. Fractions are first made non-increasing
 * (pool-adjacent-violators), because a later change cannot help more.
 */
function findLatest(times: readonly Share[]): Pick<LatestSaving, "at" | "interval"> {
  const pools: Omit<Share, "interval">[] = [];
  for (const next of times) {
    pools.push(next);
    for (let [a, b] = lastTwo(pools); a && b && a.share < b.share; [a, b] = lastTwo(pools)) {
      const weight = a.weight + b.weight;
      const share = (a.share * a.weight + b.share * b.weight) / weight;
      pools.splice(-2, 2, { time: b.time, weight, share });
    }
  }
  const at = pools.findLast(({ share }) => share >= 0.5)?.time ?? -Infinity;
  const low = times.findLast(({ interval }) => interval.low >= 0.5)?.time ?? -Infinity;
  const high = times.findLast(({ interval }) => interval.high >= 0.5)?.time ?? -Infinity;
  const toTime = (time: number): number | null => (time === -Infinity ? null : time);
  return { at: toTime(at), interval: { low: toTime(Math.min(low, at)), high: toTime(Math.max(high, at)) } };
}

function lastTwo<Value>(values: readonly Value[]): [Value | undefined, Value | undefined] {
  return [values.at(-2), values.at(-1)];
}

/** Counts times back from the first alarm. */
export function reverseTime({ at, interval: { low, high }, ...rest }: LatestSaving): LatestSaving {
  const reverse = (time: number | null): number | null => (time === null ? null : 0 - time);
  return { ...rest, at: reverse(at), interval: { low: reverse(low), high: reverse(high) } };
}

/** Title of a change on pages: "Sequence mask", or "Unchanged". */
export function titleOfArm({ arm, isNothing }: Pick<LatestSaving, "arm" | "isNothing">): string {
  return isNothing ? "Unchanged" : arm.charAt(0).toUpperCase() + arm.slice(1);
}

/**
 * Describes the latest saving time: "Learning rate ÷ 5: after 15 [never, after 25]", or over several runs "Learning
 * rate ÷ 5: 20 iterations before the alarm [20 before, at the alarm]".
 */
export function describeLatest(latest: LatestSaving, unit: "after" | "before"): string {
  const { isNothing, at, interval } = latest;
  const toText = (time: number | null): string => {
    if (time === null) return "never";
    return unit === "after" ? `after ${time}` : time === 0 ? "at the alarm" : `${time} before`;
  };
  const found =
    at === null ? "at none of the tried times" : toText(at).replace(/before$/, "iterations before the alarm");
  const title = `${titleOfArm(latest)}${isNothing ? ", for comparison" : ""}`;
  return `${title}: ${found} [${toText(interval.low)}, ${toText(interval.high)}]`;
}
