"use client";
import { xAxes } from "#server/domain/runs/series/chartData.ts";
import { Choice } from "../_ui/Choice.tsx";
import { xAxisTitles } from "#server/domain/runs/series/projectChart.ts";
import type { ChartSettings } from "./settings.ts";

type Props = { settings: ChartSettings; onChange: (settings: ChartSettings) => void };

/** Control that chooses the x-axis. A new choice resets the visible range, which has no meaning on a different axis. */
export function XAxisChoice({ settings, onChange }: Props) {
  return (
    <Choice
      label="x-axis"
      options={xAxes.map((value) => ({ value, label: xAxisTitles[value] }))}
      value={settings.x}
      onChange={(x) => onChange({ ...settings, x, range: null })}
    />
  );
}
