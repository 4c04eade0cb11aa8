"use client";
import { Checkbox } from "../_ui/Checkbox.tsx";
import { Choice } from "../_ui/Choice.tsx";
import { XAxisChoice } from "./XAxisChoice.tsx";
import type { ChartSettings } from "./settings.ts";

type Props = { settings: ChartSettings; onChange: (settings: ChartSettings) => void };

const sizes = [
  { value: "small", label: "Small" },
  { value: "usual", label: "Usual" },
  { value: "large", label: "Large" },
] as const;

/** What all charts of a page have in common, and few readers change. */
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

/** Weight of the past. */
export function Smoothing({ settings, onChange }: Props) {
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

/** What earlier attempts logged beyond, as dotted lines. */
export function ReplacedAttempts({ settings, onChange }: Props) {
  return (
    <Checkbox
      label="Replaced attempts"
      title="Points that earlier attempts logged after the checkpoint a later one resumed from: dotted, in no mean"
      checked={settings.ghosts}
      onChange={(event) => onChange({ ...settings, ghosts: event.target.checked })}
    />
  );
}
