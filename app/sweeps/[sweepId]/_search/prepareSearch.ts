import type { SearchReport, ShownArm, ShownTrial } from "#server/api/plan/searches.ts";
import { formatCount, formatSetting } from "#packages/base";
import type { Objective } from "#server/domain/plan/search/objective.ts";
import { describeMetric } from "#trainer/spec/metric.ts";

const stateWords: Record<ShownTrial["state"], string> = {
  running: "running",
  waiting: "waiting at its rung",
  whole: "full budget",
  stopped: "stopped",
  collapsed: "collapsed",
  lost: "lost",
  refused: "settings rejected",
};

export type TrialRow = {
  number: number;
  cellId: number | null;
  isBest: boolean;
  settings: string[];
  state: string;
  /** Values of the objectives as text, one per objective. */
  values: string[];
  /**
   * Reasons for the search's decisions about the trial: for its sampled settings, then for the verdict at each rung.
   */
  reasons: string[];
};

/** Returns the table rows of a method's trials; their settings are in the order of `paths`. */
export function prepareTrials(
  { trials, tied }: Pick<ShownArm, "trials" | "tied">,
  paths: readonly string[],
): TrialRow[] {
  return trials.map(
    ({ number, cellId, point, state, value, values, violation, isControl, iteration, reason, reached }) => {
      const where = state === "collapsed" && iteration !== null ? ` by iteration ${Math.round(iteration)}` : "";
      return {
        number,
        cellId,
        isBest: tied.includes(number),
        settings: paths.map((path) => toText(point[path])),
        state: `${stateWords[state]}${where}${isControl ? ", as control" : ""}${(violation ?? 0) > 0 ? ", violates a constraint" : ""}`,
        // Uses `value` for the first objective, because only it includes the last evaluation of a trial in progress.
        values: values.map((one, i) => toDigits(i === 0 ? value : one)),
        reasons: [reason, ...reached.flatMap((one) => one.reason ?? [])],
      };
    },
  );
}

/** Formats the numbers of the best trials: "trial 3", or "trials 3, 7 and 9 tie". */
export function nameTied(tied: readonly number[]): string {
  return tied.length < 2 ? `trial ${tied.join("")}` : `trials ${tied.slice(0, -1).join(", ")} and ${tied.at(-1)} tie`;
}

function toDigits(value: number | null): string {
  return value === null ? "–" : formatSetting(Number(value.toPrecision(3)));
}

function toText(value: ShownTrial["point"][string] | undefined): string {
  if (value === undefined) return "–";
  return typeof value === "number" ? formatSetting(value) : String(value);
}

export type RungRow = {
  asked: string;
  numReached: number;
  numPromoted: number;
  numStopped: number;
  numLetGoOn: number;
  /** Number of trials without a verdict at this rung: they wait; at the last rung, they are finished. */
  numOpen: number;
};

/**
 * Returns a row per rung (budget at which trials are compared): its budget, the number of trials that reached it, and
 * their verdicts.
 */
export function prepareRungs({ ladder, trials }: Pick<ShownArm, "ladder" | "trials">): RungRow[] {
  if (ladder === null) return [];
  return ladder.rungs.map((asked, rung) => {
    const there = trials.flatMap(({ reached }) => reached.filter((one) => one.rung === rung));
    const count = (kind: string) => there.filter(({ verdict }) => verdict === kind).length;
    return {
      asked: formatCount(asked, ladder.of === "seeds" ? "seed" : "iteration"),
      numReached: there.length,
      numPromoted: count("promoted"),
      numStopped: count("stopped"),
      numLetGoOn: count("letGoOn"),
      numOpen: there.filter(({ verdict }) => verdict === null).length,
    };
  });
}

export type BestPoint = { number: number; value: number; best: number; isWhole: boolean };

/** Returns each trial's value, and the best value up to its number; only fully trained trials can be the best. */
export function prepareBest(
  { trials }: Pick<ShownArm, "trials">,
  goal: SearchReport["objective"]["goal"],
): BestPoint[] {
  const isBetter = (a: number, b: number) => (goal === "maximize" ? a > b : a < b);
  let best = NaN;
  return trials.flatMap(({ number, value, state }) => {
    if (value === null) return [];
    const isWhole = state === "whole";
    if (isWhole && (Number.isNaN(best) || isBetter(value, best))) best = value;
    return [{ number, value, best, isWhole }];
  });
}

/** States how many of the planned trials have started, and the reason if no more will or fewer may. */
export function describeTrials({ trials, most, limit }: Pick<ShownArm, "trials" | "most" | "limit">): string {
  const count = `${trials.length} of ${formatCount(most, "trial")} started.`;
  if (limit === null) return count;
  return `${count} ${limit.kind === "ended" ? "No further trial starts: " : ""}${limit.reason}.`;
}

/** States how much of the search's budget is used; undefined if there is no budget. */
export function describeBudget({ budget, used }: Pick<SearchReport, "budget" | "used">): string | undefined {
  if (budget === null) return undefined;
  const { runs, iterations, hours } = budget;
  const parts = [
    runs !== undefined && `${used.runs} of ${formatCount(runs, "run")}`,
    iterations !== undefined && `${used.iterations} of ${formatCount(iterations, "iteration")}`,
    hours !== undefined && `${Number(used.hours.toPrecision(2))} of ${formatCount(hours, "slot-hour")}`,
  ];
  return `Budget: ${parts.filter(Boolean).join(", ")}.`;
}

/** States the iterations and slot-hours that stopped trials saved, and the fraction of stops that were wrong. */
export function describeSaved({ account, arms }: Pick<SearchReport, "account" | "arms">): string {
  if (account === null) return "Every trial trains its full budget.";
  const { savedIterations, usedIterations, savedMs, numStopped, numLetGoOn, numJudged, numWrong, wrong } = account;
  const total = savedIterations + usedIterations;
  const share = total > 0 ? ` (${Math.round((100 * savedIterations) / total)} %)` : "";
  const hours = savedMs / 3_600_000;
  const saved = `${formatCount(savedIterations, "iteration")}${share} and ${hours >= 10 ? hours.toFixed(0) : hours.toPrecision(2)} slot-hours saved`;
  const interval = wrong ? ` (95 % CI ${Math.round(100 * wrong.low)} to ${Math.round(100 * wrong.high)} %)` : "";
  const most = arms.length > 1 ? "the best trial of the same method" : "the best trial";
  const controls =
    numLetGoOn > 0
      ? ` ${formatCount(numLetGoOn, "stopped trial")} kept training as controls. ${numWrong} of ${numJudged} finished controls beat ${most}: stopping them would have been wrong${interval}.`
      : " No stopped trial kept training as a control, so wrong stops cannot be counted.";
  return `${formatCount(numStopped, "trial")} stopped, ${saved}.${controls}`;
}

export function titleOf({ metric }: Pick<Objective, "metric">): string {
  return metric === "collapsed" ? "Share of runs that collapsed" : describeMetric(metric).title;
}
