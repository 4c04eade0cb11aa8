import { formatDuration, formatPrice } from "#packages/base";
import type { Spent } from "./account.ts";

export const costGroups = ["sweep", "method", "person", "node"] as const;
export type CostGroup = (typeof costGroups)[number];

export const costGroupTitles: Record<CostGroup, string> = {
  sweep: "Sweep",
  method: "Method",
  person: "Person",
  node: "Node",
};

/** Slots × time as text: 42 s, 2 h 10 min; whole hours from 100 hours on. */
export function formatSlotHours(hours: number): string {
  return hours < 100 ? formatDuration(hours * 3_600_000) : `${Math.round(hours).toLocaleString("en-US")} h`;
}

/** Slot-hours, with the price if it is known. */
export function formatSpent({ slotHours, cost }: Spent): string {
  return cost === null ? formatSlotHours(slotHours) : `${formatSlotHours(slotHours)}, ${formatPrice(cost)}`;
}

/** Lost time and its fraction of the used time; empty if nothing was lost. */
export function formatLost(lost: Spent, used: Spent): string {
  if (lost.slotHours === 0) return "";
  const share = ((100 * lost.slotHours) / used.slotHours).toFixed(0);
  return `${formatSpent(lost)} (${share} %)`;
}
