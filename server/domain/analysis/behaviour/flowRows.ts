import type { Flow } from "./flows.ts";

export type { Flow };

/** Names of a flow's nodes that are no action type. */
const endingNames: Readonly<Record<string, string>> = {
  success: "Success",
  ended: "Ended without success",
  limit: "Turn limit",
  later: "Later turns",
  other: "Other actions",
};

/** Returns the name of a node's type, given the action types of the environment. */
export function nameFlowTypes(types: readonly { letter: string; name: string }[]): (type: string) => string {
  return (type) => endingNames[type] ?? types.find(({ letter }) => letter === type)?.name ?? type;
}

/** Tabulates a flow: the share of episodes by turn and pair of actions. */
export function toFlowRows({ nodes, links }: Flow, nameOf: (type: string) => string): (string | number)[][] {
  return [
    ["turn", "from", "to", "share"],
    ...links.map(({ source, target, share }) => [
      nodes[source]?.turn ?? NaN,
      nameOf(nodes[source]?.type ?? ""),
      nameOf(nodes[target]?.type ?? ""),
      share,
    ]),
  ];
}
