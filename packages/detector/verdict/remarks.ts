import type { ChannelBank } from "../signals/channelBank.ts";
import { channelNames, channels as table } from "../signals/channels.ts";
import type { DetectorConfig } from "../config.ts";
import type { Remark } from "./newEvents.ts";
import { describeShift } from "./describe.ts";
import type { Signs } from "./severity.ts";

type Input = { step: number; channels: ChannelBank };

/** Remark on an initial policy without any success; stored remarks are found by this message. */
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

/** Remarks that give an event at any status: isolated spikes, reward hacking, an idle or broken run. */
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
