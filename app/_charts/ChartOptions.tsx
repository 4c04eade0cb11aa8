"use client";
import type { CellField } from "#server/domain/runs/series/cellFields.ts";
import { useChartRestarts } from "./chartRestarts.tsx";
import { BaselineLevel, LookChoices, PageSettings, ReplacedAttempts } from "./PageSettings.tsx";
import type { ChartSettings } from "./settings.ts";

type Props = {
  settings: ChartSettings;
  onChange: (settings: ChartSettings) => void;
  /** Configuration fields (method settings, environment) by which chart lines can be distinguished. */
  fields: readonly CellField[];
};

/** Menu content with the settings of all charts of the page. */
export function ChartOptions({ settings, onChange, fields }: Props) {
  const { restarts } = useChartRestarts();
  return (
    <div className="space-y-2">
      <PageSettings settings={settings} onChange={onChange} />
      <LookChoices settings={settings} onChange={onChange} fields={fields} />
      <BaselineLevel settings={settings} onChange={onChange} />
      {restarts.length > 0 && <ReplacedAttempts settings={settings} onChange={onChange} />}
    </div>
  );
}
