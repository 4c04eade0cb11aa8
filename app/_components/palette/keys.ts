import { listedPages } from "#server/domain/pages.ts";

/** Pages that the keyboard shortcut `g` and a letter opens, by letter. */
export const goKeys: ReadonlyMap<string, { path: string; title: string }> = new Map(
  listedPages.flatMap(({ key, path, title }): [string, { path: string; title: string }][] =>
    key === undefined ? [] : [[key, { path, title }]],
  ),
);

export type KeyAction =
  | { kind: "palette" }
  | { kind: "keys" }
  | { kind: "search" }
  | { kind: "go"; href: string }
  /** The key g was pressed: the next letter chooses the page that opens. */
  | { kind: "await" }
  | { kind: "move"; by: 1 | -1 }
  | { kind: "select" };

export type Pressed = {
  key: string;
  hasCommand: boolean;
  hasAlt: boolean;
  /** True while the user types, chooses from a list or answers a dialog; then only Ctrl+K and ⌘K are shortcuts. */
  isTyping: boolean;
  /** True for a moment after g was pressed, while a letter chooses a page. */
  isAwaiting: boolean;
};

/** Returns the action of a keyboard shortcut, the same on every page; undefined for keys that are not shortcuts. */
export function toKeyAction({ key, hasCommand, hasAlt, isTyping, isAwaiting }: Pressed): KeyAction | undefined {
  if (hasAlt) return undefined;
  if (hasCommand) return key.toLowerCase() === "k" ? { kind: "palette" } : undefined;
  if (isTyping) return undefined;
  const page = isAwaiting ? goKeys.get(key) : undefined;
  if (page) return { kind: "go", href: page.path };
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
