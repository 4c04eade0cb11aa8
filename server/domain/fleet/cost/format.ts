import { formatCount, formatDuration, formatPrice } from "#packages/base";
import type { Account, Spent } from "./account.ts";

export const costGroups = ["sweep", "method", "person", "node"] as const;
export type CostGroup = (typeof costGroups)[number];

export const costGroupTitles: Record<CostGroup, string> = {
  sweep: "Sweep",
  method: "Method",
  person: "Person",
  node: "Node",
};

/** Formats slot-hours (slots × time): 42 s, 2 h 10 min; from 100 hours on, whole hours. */
export function formatSlotHours(hours: number): string {
  return hours < 100 ? formatDuration(hours * 3_600_000) : `${Math.round(hours).toLocaleString("en-US")} h`;
}

export function formatSpent({ slotHours, cost }: Spent): string {
  return cost === null ? formatSlotHours(slotHours) : `${formatSlotHours(slotHours)}, ${formatPrice(cost)}`;
}

/** The result of a table of costs in a sentence: time and money used in a period, the lost shares, and the time left. */
export function sayCosts(
  { numRuns, used, afterCollapse, again, left }: Account & { left: Spent | null },
  period = "",
): string {
  const share = (lost: Spent) => `${((100 * lost.slotHours) / used.slotHours).toFixed(0)} %`;
  const losses = [
    ...(afterCollapse.slotHours > 0 ? [`${share(afterCollapse)} after a collapse`] : []),
    ...(again.slotHours > 0 ? [`${share(again)} in repeated or failed attempts`] : []),
  ];
  const lost = losses.length === 0 ? "none of it lost" : losses.join(", ").replace(" %", " % of it");
  const price = used.cost === null ? "" : ` for ${formatPrice(used.cost)}`;
  const did = `${period}${formatCount(numRuns, "run")} used ${formatSlotHours(used.slotHours)} of slot time${price}, ${lost}.`;
  return left === null || left.slotHours === 0
    ? did
    : `${did} About ${formatSlotHours(left.slotHours)}${left.cost === null ? "" : ` (${formatPrice(left.cost)})`} of work remains.`;
}

/** Formats the lost slot-hours and their fraction of the used slot-hours; empty if none were lost. */
export function formatLost(lost: Spent, used: Spent): string {
  if (lost.slotHours === 0) return "";
  const share = ((100 * lost.slotHours) / used.slotHours).toFixed(0);
  return `${formatSpent(lost)} (${share} %)`;
}
