/** Target of `g` followed by each letter. */
export const goKeys = {
  s: { href: "/sweeps", title: "Sweeps" },
  r: { href: "/runs", title: "Runs" },
  c: { href: "/compare", title: "Compare" },
  h: { href: "/hyperparameters", title: "Hyperparameters" },
  a: { href: "/stability", title: "Stability" },
  t: { href: "/tables", title: "Tables" },
  p: { href: "/reports", title: "Reports" },
  e: { href: "/environments", title: "Environments" },
  n: { href: "/nodes", title: "Nodes" },
  l: { href: "/alerts", title: "Alerts" },
  o: { href: "/cost", title: "Cost" },
  u: { href: "/audit", title: "Changes" },
  w: { href: "/people", title: "People" },
} as const;
type GoKey = keyof typeof goKeys;

export type KeyAction =
  | { kind: "palette" }
  | { kind: "keys" }
  | { kind: "search" }
  | { kind: "go"; href: (typeof goKeys)[GoKey]["href"] }
  /** g was pressed: the next letter chooses the page. */
  | { kind: "await" }
  | { kind: "move"; by: 1 | -1 }
  | { kind: "select" };

export type Pressed = {
  key: string;
  hasCommand: boolean;
  hasAlt: boolean;
  /** True while somebody types, chooses in a list or answers a dialog: only chords act then. */
  isTyping: boolean;
  /** True for a moment after g was pressed. */
  isAwaiting: boolean;
};

/** Action of a key on any page; undefined for keys that are not shortcuts. */
export function toKeyAction({ key, hasCommand, hasAlt, isTyping, isAwaiting }: Pressed): KeyAction | undefined {
  if (hasAlt) return undefined;
  if (hasCommand) return key.toLowerCase() === "k" ? { kind: "palette" } : undefined;
  if (isTyping) return undefined;
  if (isAwaiting && isGoKey(key)) return { kind: "go", href: goKeys[key].href };
  switch (key) {
    case "g":
      return { kind: "await" };
    case "/":
      return { kind: "search" };
    case "?":
      return { kind: "keys" };
    case "j":
      return { kind: "move", by: 1 };
    case "k":
      return { kind: "move", by: -1 };
    case "x":
      return { kind: "select" };
    default:
      return undefined;
  }
}

function isGoKey(key: string): key is GoKey {
  return Object.hasOwn(goKeys, key);
}
