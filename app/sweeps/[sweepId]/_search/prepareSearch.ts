import type { SearchReport, ShownConfiguration, ShownTrial } from "#server/api/plan/searches.ts";
import { formatCount, formatSetting } from "#packages/base";
import { formatSlotHours } from "#app/_charts/format.ts";
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

type Columns = Pick<SearchReport, "parameters" | "objectives">;

/** Returns the table rows of a method's trials; settings and values are in the order of the report's. */
export function prepareTrials(
  { trials, tied }: Pick<ShownConfiguration, "trials" | "tied">,
  { parameters, objectives }: Columns,
) {
  return trials.map(
    ({ number, cellId, point, state, value, values, violation, isControl, iteration, reason, reached }) => {
      const where = state === "collapsed" && iteration !== null ? ` by iteration ${Math.round(iteration)}` : "";
      return {
        number,
        cellId,
        isBest: tied.includes(number),
        settings: parameters.map(({ path }) => toText(point[path])),
        state: `${stateWords[state]}${where}${isControl ? ", as control" : ""}${(violation ?? 0) > 0 ? ", violates a constraint" : ""}`,
        // Uses `value` for the first objective, because only it includes the last evaluation of a trial in progress.
        values: values.map((one, i) => toResult(i === 0 ? value : one, objectives[i])),
        reasons: [reason, ...reached.flatMap((one) => one.reason ?? [])],
      };
    },
  );
}

/** Formats the numbers of the best trials: "3", or "3, 7 and 9 tie". */
export function nameTied(tied: readonly number[]): string {
  return tied.length < 2 ? tied.join("") : `${tied.slice(0, -1).join(", ")} and ${tied.at(-1)} tie`;
}

/** True if an objective is a share of episodes or runs, which is shown in per cent. */
export function isShare({ metric }: Pick<Objective, "metric">): boolean {
  return metric === "collapsed" || describeMetric(metric).unit === "fraction";
}

function toResult(value: number | null, objective: Objective | undefined): string {
  if (value === null) return "–";
  return objective && isShare(objective)
    ? `${(100 * value).toFixed(1)} %`
    : formatSetting(Number(value.toPrecision(3)));
}

function toText(value: ShownTrial["point"][string] | undefined): string {
  if (value === undefined) return "–";
  return typeof value === "number" ? formatSetting(value) : String(value);
}

export function prepareRungs({ schedule, trials }: Pick<ShownConfiguration, "schedule" | "trials">) {
  if (schedule === null) return [];
  return schedule.rungs.map((asked, rung) => {
    const there = trials.flatMap(({ reached }) => reached.filter((one) => one.rung === rung));
    const count = (kind: string) => there.filter(({ verdict }) => verdict === kind).length;
    return {
      asked: formatCount(asked, schedule.of === "seeds" ? "seed" : "iteration"),
      numReached: there.length,
      numPromoted: count("promoted"),
      numStopped: count("stopped"),
      numControls: count("letGoOn"),
      // Trials without a verdict wait; at the last rung, they are finished.
      numOpen: there.filter(({ verdict }) => verdict === null).length,
    };
  });
}

/** Returns each trial's value, and the best value up to its number; only fully trained trials can be the best. */
export function prepareBest({ trials }: Pick<ShownConfiguration, "trials">, goal: Objective["goal"]) {
  const isBetter = (a: number, b: number) => (goal === "maximize" ? a > b : a < b);
  let best = NaN;
  return trials.flatMap(({ number, value, state }) => {
    if (value === null) return [];
    const isWhole = state === "whole";
    if (isWhole && (Number.isNaN(best) || isBetter(value, best))) best = value;
    return [{ number, value, best, isWhole }];
  });
}

export function describeTrials({
  trials,
  maxTrials,
  limit,
}: Pick<ShownConfiguration, "trials" | "maxTrials" | "limit">): string {
  const count = `${trials.length} of ${maxTrials} started`;
  if (limit === null) return count;
  return `${count}. ${limit.kind === "ended" ? "No further trial starts: " : ""}${limit.reason}.`;
}

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

export function describeSaved({ account, configurations }: Pick<SearchReport, "account" | "configurations">): string {
  if (account === null) return "Every trial trains its full budget.";
  const { savedIterations, usedIterations, savedMs, numStopped, numControls, numJudged, numWrong, wrong } = account;
  const total = savedIterations + usedIterations;
  const share = total > 0 ? ` (${Math.round((100 * savedIterations) / total)} %)` : "";
  const saved = `${formatCount(savedIterations, "iteration")}${share} and ${formatSlotHours(savedMs)} saved`;
  const interval = wrong ? ` (95 % CI ${Math.round(100 * wrong.low)} to ${Math.round(100 * wrong.high)} %)` : "";
  const most = configurations.length > 1 ? "the best trial of the same method" : "the best trial";
  const controls =
    numControls > 0
      ? ` ${formatCount(numControls, "stopped trial")} kept training as controls. ${numWrong} of ${numJudged} finished controls beat ${most}: stopping them would have been wrong${interval}.`
      : " No stopped trial kept training as a control, so wrong stops cannot be counted.";
  return `${formatCount(numStopped, "trial")} stopped, ${saved}.${controls}`;
}

export function titleOf({ metric }: Pick<Objective, "metric">): string {
  return metric === "collapsed" ? "Share of runs that collapsed" : describeMetric(metric).title;
}
