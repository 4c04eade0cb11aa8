import { formatCount } from "#packages/base";
import { describeMetric } from "#trainer/spec/metric.ts";
import type { Evidence } from "../event.ts";
import type { ChannelBank } from "../signals/channelBank.ts";
import { type ChannelName, channelNames, channels, channels as table } from "../signals/channels.ts";
import type { DetectorConfig } from "../config.ts";
import type { Remark } from "./newEvents.ts";
import type { Signs } from "./severity.ts";
import type { Status } from "./status.ts";

type Input = { step: number; channels: ChannelBank };

/** Remark on an initial policy that never succeeds. Its stored occurrences are found by this message. */
export const knowsNothing: Remark = {
  name: "knowsNothing",
  kind: "stalled",
  severity: "warning",
  message: "Success was 0 before training: a policy that never succeeds may have nothing to learn from and never learn",
};

const hacking: Remark = {
  name: "hacking",
  kind: "hacking",
  severity: "warning",
  message: "Success falls while the reward does not: the reward may pay for something else",
};

const stalled: Remark = {
  name: "stalled",
  kind: "stalled",
  severity: "warning",
  message: "Nothing to learn from: rewards within groups are equal or the gradient is zero",
};

const saturated: Remark = {
  name: "saturated",
  kind: "saturated",
  severity: "info",
  message: "Nothing left to learn from: nearly every task is solved",
};

const atItsBest: Remark = {
  ...saturated,
  message: "Nothing left to learn from: the reward stands at its best",
};

const broken: Remark = {
  name: "metricBroken",
  kind: "metricBroken",
  severity: "warning",
  message: `${table.gradientNorm.title} was never a number while the loss is one: the metric is broken, not the run`,
};

export function gatherRemarks(
  { groups, trackers, nonFinite, stall }: Signs,
  { step, channels }: Input,
  { muted }: DetectorConfig,
): Remark[] {
  const remarks: Remark[] = [];
  for (const name of channelNames) {
    const { last } = channels[name];
    if (last?.step !== step || last.level !== 1 || muted.includes(name)) continue;
    const message = `Spike: ${describeShift(name, last)}`;
    remarks.push({ name: `spike ${name}`, kind: "spike", severity: "info", message });
  }
  if (step === 0 && trackers.heldOut?.state.start === 0) remarks.push(knowsNothing);
  if (groups.levels.hacking !== undefined) remarks.push(hacking);
  if (stall === "stalled") remarks.push(stalled);
  if (stall === "saturated") remarks.push(trackers.training?.reading.isAtBest ? atItsBest : saturated);
  if (nonFinite.isMetricBroken) remarks.push(broken);
  return remarks;
}

/** Returns a note on the runs of a sweep that never succeed; undefined if there are none. */
export function describeUntaught(numUntaught: number, numRuns: number): string | undefined {
  if (numUntaught === 0) return undefined;
  const which = `${numUntaught.toLocaleString("en-US")} of ${formatCount(numRuns, "run")}`;
  return (
    `${which} had a success of 0 before training and ${numUntaught === 1 ? "has" : "have"} had next to none since: ` +
    "a policy that never succeeds may have nothing to learn from and never learn"
  );
}

/** Describes a status with its evidence: "Unstable: success rate (training) 80 → 31 %; gradient norm × 6.1". */
export function describeStatus(status: Status, { channels: seen, performance, remarks }: Evidence): string {
  const losses = Object.entries(performance).flatMap(([key, { now, peak, relative }]) =>
    peak !== null && relative >= 0.15 ? [describeLoss(key, { peak, now })] : [],
  );
  const shifts = channelNames.flatMap((name) => {
    const reading = seen[name];
    return reading && reading.level >= 2 ? [describeShift(name, reading)] : [];
  });
  const why = [...losses, ...shifts, ...remarks];
  return `${status.charAt(0).toUpperCase()}${status.slice(1)}${why.length > 0 ? `: ${why.join("; ")}` : ""}`;
}

function describeLoss(key: string, { peak, now }: { peak: number; now: number }): string {
  const { title, unit } = describeMetric(key);
  const subject = title.toLowerCase();
  if (unit !== "fraction") return `${subject} ${formatNumber(peak)} → ${formatNumber(now)}`;
  return `${subject} ${formatNumber(100 * peak)} → ${formatNumber(100 * now)} %`;
}

function describeShift(name: ChannelName, reading: NonNullable<Evidence["channels"][ChannelName]>): string {
  const { title, floor } = channels[name];
  const subject = title.toLowerCase().replace(/^kl/, "KL");
  if (floor === "rate") return `${subject} ${formatNumber(100 * Math.sin(reading.value) ** 2)} %`;
  const change = reading.shift ?? reading.value - (reading.forecast ?? reading.value);
  if (!Number.isFinite(change) || Math.abs(change) > 50) return `${subject} beyond measure`;
  return `${subject} × ${Number(Math.exp(change).toPrecision(2))}`;
}

function formatNumber(x: number): string {
  return String(Number(x.toPrecision(2)));
}
