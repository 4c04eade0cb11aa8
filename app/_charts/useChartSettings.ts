"use client";
import { useAddress } from "../_ui/useAddress.ts";
import { parseSettings, writeSettings, type ChartSettings } from "./settings.ts";

const settingsPart = { parse: parseSettings, write: writeSettings, continuous: ["smooth", "ylim"] };

/** Chart settings of the page's address; a change needs no answer of the server. */
export function useChartSettings(): [ChartSettings, (settings: ChartSettings) => void] {
  return useAddress(settingsPart);
}
