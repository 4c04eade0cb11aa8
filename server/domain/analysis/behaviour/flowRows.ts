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

/** Colours of action types in the light and the dark theme: greys, browns and slates, because hues mean methods. */
const colours = [
  ["#517f9a", "#81b0cd"],
  ["#3e1c01", "#e6ba9c"],
  ["#404449", "#b5b9bf"],
  ["#2c5a73", "#6694b0"],
  ["#674228", "#9a7256"],
  ["#1b1e23", "#e8edf4"],
  ["#91694e", "#cfa487"],
  ["#64686d", "#999da3"],
  ["#04374f", "#aadaf8"],
] as const;

/** Returns name and colour of a node's type, given the action types of the environment. */
export function lookOfType(types: FlowTypes, type: string): { label: string; color: string } {
  const i = types.findIndex(({ letter }) => letter === type);
  const [light, dark] = colours[i % colours.length] ?? colours[0];
  return others[type] ?? { label: types[i]?.name ?? type, color: `light-dark(${light}, ${dark})` };
}

/** Tabulates a flow: the share of episodes by turn and pair of actions. */
export function toFlowRows({ links }: Flow, types: FlowTypes): (string | number)[][] {
  const nameOf = (type: string) => lookOfType(types, type).label;
  const rows = links.map(({ turn, from, to, share }) => [turn, nameOf(from), nameOf(to), share]);
  return [["turn", "from", "to", "share"], ...rows];
}
