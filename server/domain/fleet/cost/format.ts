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

/** Formats slot-hours (slots × time): 42 s, 2 h 10 min; from 100 hours on, whole hours. */
export function formatSlotHours(hours: number): string {
  return hours < 100 ? formatDuration(hours * 3_600_000) : `${Math.round(hours).toLocaleString("en-US")} h`;
}

export function formatSpent({ slotHours, cost }: Spent): string {
  return cost === null ? formatSlotHours(slotHours) : `${formatSlotHours(slotHours)}, ${formatPrice(cost)}`;
}

/** Formats the lost slot-hours and their fraction of the used slot-hours; empty if none were lost. */
export function formatLost(lost: Spent, used: Spent): string {
  if (lost.slotHours === 0) return "";
  const share = ((100 * lost.slotHours) / used.slotHours).toFixed(0);
  return `${formatSpent(lost)} (${share} %)`;
}
