"use client";
import dynamic from "next/dynamic";
import type { CellField } from "#server/domain/runs/series/cellFields.ts";
import { Button } from "../_ui/Button.tsx";
import { Checkbox } from "../_ui/Input.tsx";
import { Choice } from "../_ui/Choice.tsx";
import { Popover } from "../_ui/Popover.tsx";
import { overWords } from "#server/domain/runs/series/seedSummary.ts";
import { type ChartSettings, overOf, overs } from "./settings.ts";
import { xAxisTitles } from "#server/domain/runs/series/projectChart.ts";
import { XAxisChoice } from "./XAxisChoice.tsx";

// Dynamic import: the code is loaded when the reader first opens the menu.
const ChartOptions = dynamic(() => import("./PageSettings.tsx").then((module) => module.ChartOptions), { ssr: false });

type Props = {
  settings: ChartSettings;
  onChange: (settings: ChartSettings) => void;
  hasSeeds?: boolean;
  /** Configuration fields (method settings, environment) by which chart lines can be distinguished. */
  fields?: readonly CellField[];
};

export function ChartControls({ settings, onChange, hasSeeds = true, fields = [] }: Props) {
  const { range, x } = settings;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      <XAxisChoice settings={settings} onChange={onChange} />
      {hasSeeds && (
        <>
          <Choice
            label="Summary over seeds"
            options={overs.map((value) => ({ value, label: overWords[value].label }))}
            value={overOf(settings)}
            onChange={(over) => onChange({ ...settings, over })}
          />
          <Checkbox
            label="Show each seed"
            checked={settings.seeds}
            onChange={(event) => onChange({ ...settings, seeds: event.target.checked })}
          />
        </>
      )}
      <Popover label="Options of all charts" button="Options ▾" buttonClassName="control">
        {() => <ChartOptions settings={settings} onChange={onChange} fields={fields} />}
      </Popover>
      {range && (
        <Button kind="quiet" onClick={() => onChange({ ...settings, range: null })}>
          {x === "iteration" ? "Iterations" : xAxisTitles[x]}{" "}
          {range.map((end) => end.toLocaleString("en-US")).join("–")} · show all
        </Button>
      )}
    </div>
  );
}
