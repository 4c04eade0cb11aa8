"use client";
import { createContext, use, useState, useSyncExternalStore, type ReactNode } from "react";
import { LiftedLineProvider } from "./liftedLine.tsx";
import type { XAxisName } from "./names.ts";

/** The reader's cursor: an iteration (of training, or an epoch of cloning), and the chart under the pointer, the only one that prints values. */
export type Cursor = { axis: XAxisName; iteration: number; chartKey: string } | null;

type Store = { read: () => Cursor; write: (cursor: Cursor) => void; subscribe: (listener: () => void) => () => void };

// A separate store: the pointer moves a hundred times a second, and only cursors must be rendered again, not lines.
function makeStore(): Store {
  let cursor: Cursor = null;
  const listeners = new Set<() => void>();
  return {
    read: () => cursor,
    write: (next) => {
      if (next?.iteration === cursor?.iteration && next?.chartKey === cursor?.chartKey) return;
      cursor = next;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const CursorContext = createContext<Store>(makeStore());

/** Charts inside share one cursor and the highlighted line. */
export function CursorProvider({ children }: { children: ReactNode }) {
  const [store] = useState(makeStore);
  return (
    <CursorContext value={store}>
      <LiftedLineProvider>{children}</LiftedLineProvider>
    </CursorContext>
  );
}

export function useCursor(): [Cursor, Store["write"]] {
  const store = use(CursorContext);
  return [useSyncExternalStore(store.subscribe, store.read, () => null), store.write];
}
