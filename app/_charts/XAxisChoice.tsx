"use client";
import { xAxes } from "#server/domain/series/xAxis.ts";
import { Choice } from "../_ui/Choice.tsx";
import { xAxisTitles } from "#server/domain/series/projectChart.ts";
import type { ChartSettings } from "./settings.ts";

type Props = { settings: ChartSettings; onChange: (settings: ChartSettings) => void };

/** What charts stand over. A part of one axis says nothing of another. */
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
