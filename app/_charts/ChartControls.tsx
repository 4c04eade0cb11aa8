"use client";
import { Button } from "../_ui/Button.tsx";
import { Checkbox } from "../_ui/Checkbox.tsx";
import { Choice } from "../_ui/Choice.tsx";
import { useChartRestarts } from "./chartRestarts.tsx";
import { overOf, overWords } from "./overSeeds.ts";
import { overs, type ChartSettings } from "./settings.ts";

type Props = {
  settings: ChartSettings;
  onChange: (settings: ChartSettings) => void;
  /** Of the legend. */ numLines?: number;
  hasSeeds?: boolean;
};

/** What applies to all charts of a page at once. */
export function ChartControls({ settings, onChange, numLines = 1, hasSeeds = true }: Props) {
  const { restarts } = useChartRestarts();
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
      <label className="inline-flex items-center gap-2">
        Smoothing
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
      </label>
      {hasSeeds && (
        <>
          <Choice
            label="Over seeds"
            labelled="beside"
            options={overs.map((value) => ({ value, label: overWords[value].label }))}
            value={overOf(settings, numLines)}
            onChange={(over) => onChange({ ...settings, over })}
          />
          <Checkbox
            label="Each seed"
            checked={settings.seeds}
            onChange={(event) => onChange({ ...settings, seeds: event.target.checked })}
          />
        </>
      )}
      {restarts.length > 0 && (
        <Checkbox
          label="Replaced attempts"
          title="Points that earlier attempts logged after the checkpoint a later one resumed from: dotted, in no mean"
          checked={settings.ghosts}
          onChange={(event) => onChange({ ...settings, ghosts: event.target.checked })}
        />
      )}
      {settings.range && (
        <Button kind="quiet" onClick={() => onChange({ ...settings, range: null })}>
          Iterations {settings.range.join("–")}: show all
        </Button>
      )}
    </div>
  );
}
