import { costGroups, type CostGroup } from "#server/domain/fleet/cost/format.ts";
import { choicePart } from "#app/_ui/address.ts";

export const periods = ["7", "30", "365", "all"] as const;
export type Period = (typeof periods)[number];
export const periodTitles: Record<Period, string> = {
  "7": "7 days",
  "30": "30 days",
  "365": "A year",
  all: "All time",
};

export const groupPart = choicePart("by", costGroups, "sweep");
export const periodPart = choicePart("days", periods, "30");

export function toInput(by: CostGroup, period: Period): { by: CostGroup; days?: number } {
  return period === "all" ? { by } : { by, days: Number(period) };
}
