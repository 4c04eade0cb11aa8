import type { ColumnSizingState } from "@tanstack/react-table";
import { useCallback, useSyncExternalStore } from "react";

const name = "arlarena-run-columns";
const none: ColumnSizingState = {};
const listeners = new Set<() => void>();
let current: ColumnSizingState | undefined;

/** Column widths in pixels, in the browser's storage, because they belong to the reader, not to the view. */
export function useSizing(): [ColumnSizingState, (sizing: ColumnSizingState) => void] {
  const sizing = useSyncExternalStore(listen, read, () => none);
  const write = useCallback((next: ColumnSizingState) => {
    current = next;
    window.localStorage.setItem(name, JSON.stringify(next));
    for (const listener of listeners) listener();
  }, []);
  return [sizing, write];
}

function read(): ColumnSizingState {
  current ??= parse(window.localStorage.getItem(name));
  return current;
}

function parse(text: string | null): ColumnSizingState {
  try {
    const read: unknown = JSON.parse(text ?? "{}");
    return isSizing(read) ? read : none;
  } catch {
    return none;
  }
}

/** Validates stored column widths in pixels by hand: a schema library would be an eighth of the page's JavaScript. */
function isSizing(read: unknown): read is ColumnSizingState {
  return typeof read === "object" && read !== null && Object.values(read).every((width) => typeof width === "number");
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
