"use client";
import { usePathname, useSearchParams } from "next/navigation";
import { useCallback, useMemo, useSyncExternalStore } from "react";
import { parseSettings, writeSettings, type ChartSettings } from "./settings.ts";

/**
 * Chart settings of the page's address; changing them rewrites the address without a round trip to the server. They are
 * read from the address itself and not from the router's copy, which follows late: a slider held in between would be set
 * back to where it was, and the key presses of that time would be lost.
 */
export function useChartSettings(): [ChartSettings, (settings: ChartSettings) => void] {
  const routed = useSearchParams().toString();
  const path = usePathname();
  const text = useSyncExternalStore(
    onAddress,
    () => new URLSearchParams(window.location.search).toString(),
    () => routed,
  );
  const settings = useMemo(() => parseSettings(new URLSearchParams(text)), [text]);
  const write = useCallback(
    (next: ChartSettings) => {
      // The address as it is now: another control may have changed it since this render.
      const written = writeSettings(new URLSearchParams(window.location.search), next).toString();
      window.history.replaceState(null, "", written === "" ? path : `${path}?${written}`);
      for (const listener of listeners) listener();
    },
    [path],
  );
  return [settings, write];
}

/** Components that read the address: the browser fires no event for `replaceState`. */
const listeners = new Set<() => void>();

function onAddress(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("popstate", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("popstate", listener);
  };
}
