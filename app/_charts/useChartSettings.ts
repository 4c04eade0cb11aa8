"use client";
import { usePathname, useSearchParams } from "next/navigation";
import { useCallback, useMemo } from "react";
import { parseSettings, writeSettings, type ChartSettings } from "./settings.ts";

/** Chart settings of the page's address; changing them rewrites the address without a round trip to the server. */
export function useChartSettings(): [ChartSettings, (settings: ChartSettings) => void] {
  const query = useSearchParams();
  const path = usePathname();
  const settings = useMemo(() => parseSettings(query), [query]);
  const write = useCallback(
    (next: ChartSettings) => {
      // The address as it is now: another control may have changed it since this render.
      const text = writeSettings(new URLSearchParams(window.location.search), next).toString();
      window.history.replaceState(null, "", text === "" ? path : `${path}?${text}`);
    },
    [path],
  );
  return [settings, write];
}
