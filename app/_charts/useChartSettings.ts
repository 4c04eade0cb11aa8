"use client";
import { useAddress } from "../_ui/useAddress.ts";
import { parseSettings, writeSettings, type ChartSettings } from "./settings.ts";

const settingsPart = { parse: parseSettings, write: writeSettings, continuous: ["smooth", "ylim"] };

/** Chart settings in the page's address; a change needs no request to the server. */
export function useChartSettings(): [ChartSettings, (settings: ChartSettings) => void] {
  return useAddress(settingsPart);
}
