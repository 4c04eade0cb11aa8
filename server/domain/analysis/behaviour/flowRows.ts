import { methodColour } from "#server/domain/plan/sweep/methods/colours.ts";
import type { Flow } from "./flows.ts";

export type FlowTypes = readonly { letter: string; name: string }[];

/** Names and colours of the types in flows and transitions that are no action type. */
const others: Readonly<Record<string, { label: string; color: string }>> = {
  "^": { label: "Start", color: "var(--edge)" },
  success: { label: "Success", color: "var(--good)" },
  ended: { label: "Ended without success", color: "var(--bad)" },
  limit: { label: "Turn limit", color: "var(--warn)" },
  later: { label: "Later turns", color: "var(--edge)" },
  other: { label: "Other actions", color: "var(--edge)" },
};

/** Returns name and colour of a node's type, given the action types of the environment. */
export function lookOfType(types: FlowTypes, type: string): { label: string; color: string } {
  const i = types.findIndex(({ letter }) => letter === type);
  return others[type] ?? { label: types[i]?.name ?? type, color: methodColour(i) };
}

/** Tabulates a flow: the share of episodes by turn and pair of actions. */
export function toFlowRows({ links }: Flow, types: FlowTypes): (string | number)[][] {
  const nameOf = (type: string) => lookOfType(types, type).label;
  const rows = links.map(({ turn, from, to, share }) => [turn, nameOf(from), nameOf(to), share]);
  return [["turn", "from", "to", "share"], ...rows];
}
