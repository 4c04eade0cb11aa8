import type { Stopping, StoppingAccount } from "#server/domain/plan/sweep/stopping.ts";
import { formatCount } from "#app/_charts/format.ts";

/** The stopping rule in a sentence, and its account in figures. Hours are slot-hours: a slot is a GPU on nodes that have one. */
export function formatStopping({ rule, account }: { rule: Stopping; account: StoppingAccount }) {
  const { at, iterations, letGoOnShare } = rule;
  const when = at === "collapsed" ? "collapsed" : `unstable for ${formatCount(iterations, "iteration")}`;
  const share = letGoOnShare > 0 ? `, but ${Math.round(letGoOnShare * 100)} % go on to measure false stops` : "";
  const { numStopped, numLetGoOn, numFalse, numJudged, savedMs, wastedMs } = account;
  const parts = [
    `${formatCount(numStopped, "run")} stopped, ${hours(savedMs)} saved`,
    ...(numLetGoOn > 0 ? [`${numLetGoOn} let go on, ${numFalse} of ${numJudged} would have been a false stop`] : []),
    `${hours(wastedMs)} spent after the rule applied`,
  ];
  return {
    rule: `Runs are stopped once ${when}${share}.`,
    account: numStopped + numLetGoOn === 0 ? "It has not applied to any run yet." : `${parts.join("; ")}.`,
  };
}

function hours(ms: number): string {
  const value = ms / 3_600_000;
  return `${value >= 10 ? value.toFixed(0) : value.toPrecision(2)} slot-hours`;
}
