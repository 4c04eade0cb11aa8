import type { Offers } from "#server/api/reports/offers.ts";
import { tabPart, type AddressPart } from "#app/_ui/address.ts";

const all = [
  { value: "overview", label: "Overview" },
  { value: "survival", label: "Survival" },
  { value: "warning", label: "Early warning" },
  { value: "replay", label: "Replay" },
  { value: "dimensions", label: "Dimensions" },
  { value: "phases", label: "Phases" },
  { value: "findings", label: "Findings" },
] as const;
export type StabilityTab = (typeof all)[number]["value"];

/** Fewer collapses say nothing about early warning. */
const minCollapses = 5;

const part = tabPart(all, "overview");

/** The open tab. Old links may name the former tabs for detectors and first signs. */
export const openTab: AddressPart<StabilityTab> = {
  ...part,
  parse: (query) => (/^(?:climbs|detectors)$/.test(query.get("tab") ?? "") ? "warning" : part.parse(query)),
};

/** Tabs with content for these sweeps, and the open one, which a link may have requested. */
export function listTabs(open: StabilityTab, offers: Offers | undefined) {
  const hidden: readonly StabilityTab[] = [
    ...((offers?.numCollapsed ?? 0) < minCollapses ? (["warning"] as const) : []),
    ...((offers?.numNumericVaried ?? 0) < 2 ? (["phases"] as const) : []),
  ];
  return all.filter(({ value }) => value === open || !hidden.includes(value));
}
