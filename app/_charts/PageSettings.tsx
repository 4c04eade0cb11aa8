"use client";
import type { CellField } from "#server/domain/runs/series/cellFields.ts";
import { Checkbox } from "../_ui/Input.tsx";
import { Choice } from "../_ui/Choice.tsx";
import { useChartReferences } from "./chartContext.tsx";
import { useChartRestarts } from "./chartRestarts.tsx";
import { type ChartSettings, chooseLooks, looks } from "./settings.ts";
import { XAxisChoice } from "./XAxisChoice.tsx";

type Props = { settings: ChartSettings; onChange: (settings: ChartSettings) => void };

/** Menu content for all charts of the page. `fields`: those by which lines can be distinguished. */
export function ChartOptions({ fields, ...props }: Props & { fields: readonly CellField[] }) {
  const { restarts } = useChartRestarts();
  return (
    <div className="space-y-2">
      <PageSettings {...props} />
      <LookChoices {...props} fields={fields} />
      <BaselineLevel {...props} />
      {restarts.length > 0 && <ReplacedAttempts {...props} />}
    </div>
  );
}

const lookTitles = { shade: "Lightness", dash: "Dash", facet: "Small multiples" } as const;

/** Menu value for lines that have the look of their configuration. */
const automatic = "";

/** Menus that choose the fields encoded by lightness, dashes and small multiples. Hue always encodes the method. */
function LookChoices({ settings, onChange, fields }: Props & { fields: readonly CellField[] }) {
  if (fields.length === 0) return null;
  const current = chooseLooks(fields, settings);
  return (
    <div className="space-y-2 border-t border-line pt-2">
      <p className="text-xs text-muted">Hue shows the method. Choose what else distinguishes lines.</p>
      {looks.map((look) => (
        <div key={look} className="flex items-center justify-between gap-2">
          <span>{lookTitles[look]}</span>
          <Choice
            label={lookTitles[look]}
            className="max-w-44"
            options={[
              look === "facet" ? { value: "none", label: "Nothing" } : { value: automatic, label: "Configuration" },
              ...fields.map(({ key, title }) => ({ value: key, label: title })),
            ]}
            value={current[look]?.key ?? (look === "facet" ? "none" : automatic)}
            onChange={(key) => onChange({ ...settings, [look]: key === automatic ? null : key })}
          />
        </div>
      ))}
    </div>
  );
}

const sizes = [
  { value: "small", label: "Small" },
  { value: "usual", label: "Medium" },
  { value: "large", label: "Large" },
] as const;

export function PageSettings({ settings, onChange }: Props) {
  return (
    <div className="space-y-2">
      <Smoothing settings={settings} onChange={onChange} />
      <div className="flex items-center justify-between gap-2">
        <span>x-axis</span>
        <XAxisChoice settings={settings} onChange={onChange} />
      </div>
      <div className="flex items-center justify-between gap-2">
        <span>Size</span>
        <Choice
          label="Size of charts"
          as="buttons"
          options={sizes}
          value={settings.size}
          onChange={(size) => onChange({ ...settings, size })}
        />
      </div>
    </div>
  );
}

/** Slider for the weight of past values in the moving average that smooths the lines. */
function Smoothing({ settings, onChange }: Props) {
  return (
    <label className="flex items-center justify-between gap-2">
      Smoothing
      <span className="inline-flex items-center gap-2">
        <input
          type="range"
          min={0}
          max={0.95}
          step={0.05}
          value={settings.smoothing}
          onChange={(event) => onChange({ ...settings, smoothing: Number(event.target.value) })}
          className="w-24 accent-accent"
        />
        <output className="w-8 text-muted">{settings.smoothing === 0 ? "off" : settings.smoothing.toFixed(2)}</output>
      </span>
    </label>
  );
}

export function BaselineLevel({ settings, onChange }: Props) {
  if (useChartReferences().length === 0) return null;
  return (
    <Checkbox
      label="Baseline"
      title="Draws a dashed line at the pinned baseline's final value, the mean over the baseline's runs"
      checked={settings.baseline}
      onChange={(event) => onChange({ ...settings, baseline: event.target.checked })}
    />
  );
}

function ReplacedAttempts({ settings, onChange }: Props) {
  return (
    <Checkbox
      label="Replaced attempts"
      title="Draws dotted lines for values that a later attempt replaced because it resumed from an earlier checkpoint. Means exclude these values."
      checked={settings.ghosts}
      onChange={(event) => onChange({ ...settings, ghosts: event.target.checked })}
    />
  );
}
