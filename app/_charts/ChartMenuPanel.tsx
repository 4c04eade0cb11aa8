"use client";
import type { ComponentProps } from "react";
import { Button } from "../_ui/Button.tsx";
import { Checkbox } from "../_ui/Checkbox.tsx";
import { FigureFiles } from "./FigureFiles.tsx";
import { LastValues } from "./LastValues.tsx";
import { LimitFields } from "./LimitFields.tsx";
import { withLimits } from "./limits.ts";
import { PageSettings } from "./PageSettings.tsx";
import type { ChartModel } from "./prepareChart.ts";
import { isLogarithmic, toggled, type ChartSettings } from "./settings.ts";

/** Moves of a chart among others; undefined for charts with a fixed place. */
export type ChartMoves = {
  /** Undefined for the first chart, and `onLater` for the last. */
  onEarlier?: (() => void) | undefined;
  onLater?: (() => void) | undefined;
  onRemove?: (() => void) | undefined;
};

type Props = Omit<ComponentProps<typeof FigureFiles>, "title"> & {
  model: ChartModel;
  settings: ChartSettings;
  onChange: (settings: ChartSettings) => void;
  moves: ChartMoves;
};

/** Content of a chart's menu: axes, shared settings, position, files, remarks and last values. */
export function ChartMenuPanel({ model, settings, onChange, moves, ...files }: Props) {
  const { key, title } = model;
  const isLog = isLogarithmic(settings, key);
  return (
    <div className="space-y-3">
      <div className="space-y-2">
        <Checkbox
          label="Logarithmic y-axis"
          checked={isLog}
          onChange={() => onChange({ ...settings, log: toggled(settings.log, key) })}
        />
        <LimitFields
          limits={settings.limits.get(key)}
          isLog={isLog}
          onChange={(limits) => onChange({ ...settings, limits: withLimits(settings.limits, key, limits) })}
        />
      </div>
      <div className="border-t border-line pt-2">
        <h3 className="mb-1 text-xs text-muted">All charts</h3>
        <PageSettings settings={settings} onChange={onChange} />
      </div>
      <div className="space-y-1.5 border-t border-line pt-3">
        <FigureFiles title={title} {...files} />
        <Moves title={title} moves={moves} />
      </div>
      {model.notes.length > 0 && (
        <ul className="list-disc space-y-0.5 border-t border-line pt-2 pl-4 text-xs text-muted">
          {model.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <LastValues title={title} rows={model.rows} axis={model.x.name} />
    </div>
  );
}

function Moves({ title, moves: { onEarlier, onLater, onRemove } }: { title: string; moves: ChartMoves }) {
  if (!onEarlier && !onLater && !onRemove) return null;
  return (
    <div className="flex flex-wrap gap-1.5">
      {onEarlier && (
        <Button aria-label={`Move ${title} earlier`} onClick={onEarlier}>
          Earlier
        </Button>
      )}
      {onLater && (
        <Button aria-label={`Move ${title} later`} onClick={onLater}>
          Later
        </Button>
      )}
      {onRemove && (
        <Button aria-label={`Remove ${title}`} onClick={onRemove}>
          Remove
        </Button>
      )}
    </div>
  );
}
