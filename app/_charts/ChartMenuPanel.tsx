"use client";
import { type ComponentProps, useState } from "react";
import { writeFigure } from "#packages/statistics";
import { Button } from "../_ui/Button.tsx";
import { Checkbox } from "../_ui/Input.tsx";
import { FigureFiles } from "./FigureFiles.tsx";
import { findLimitErrors, type Limits, parseLimit, withLimits } from "./limits.ts";
import { PageSettings } from "./PageSettings.tsx";
import type { ChartModel } from "./prepareChart.ts";
import { type ChartSettings, isLogarithmic, toggled } from "./settings.ts";
import { lastValues } from "./valuesAt.ts";
import { TextField } from "../_ui/Field.tsx";

export type ChartMoves = {
  /** Moves the chart one position; `onEarlier` is undefined for the first chart, `onLater` for the last one. */
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
          isRate={model.unit === "fraction"}
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
      <LastValues model={model} />
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

/** Lists each line's last value in a table, for readers who cannot see the lines or copy a number. */
function LastValues({ model: { title, rows, unit, x } }: { model: ChartModel }) {
  const readings = lastValues(rows);
  const write = (value: number | null) => (value === null ? "n/a" : writeFigure(value, { unit }));
  if (readings.length === 0) return null;
  return (
    <details className="mt-1 text-xs">
      <summary className="text-muted hover:text-text">Last values</summary>
      <div className="overflow-x-auto">
        <table className="mt-1 w-full">
          <caption className="sr-only">Last values of {title}</caption>
          <thead className="text-left text-muted">
            <tr>
              <th className="font-normal">Line</th>
              <th className="text-right font-normal">Value</th>
              <th className="text-right font-normal">Low</th>
              <th className="text-right font-normal">High</th>
              <th className="text-right font-normal">n</th>
              <th className="text-right font-normal">{x.name}</th>
            </tr>
          </thead>
          <tbody>
            {readings.map(({ entry, value, low, high, count, iteration }) => (
              <tr key={entry.id}>
                <th scope="row" className="text-left font-normal">
                  <span className="mr-1.5 inline-block size-2 rounded-full" style={{ background: entry.color }} />
                  {entry.label}
                </th>
                <td className="text-right">{write(value)}</td>
                <td className="text-right">{write(low)}</td>
                <td className="text-right">{write(high)}</td>
                <td className="text-right">{count}</td>
                <td className="text-right">{iteration.toLocaleString("en-US")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

type LimitFieldsProps = {
  limits: Limits | undefined;
  isLog: boolean;
  /** True if the axis shows per cent. Limits are fractions in the address. */
  isRate: boolean;
  onChange: (limits: Limits) => void;
};

/** Two text fields for the lower and upper limit of the y-axis; the chart uses them once both are valid. */
function LimitFields({ limits, isLog, isRate, onChange }: LimitFieldsProps) {
  const toText = (limit: number | null = null) => (limit === null ? "" : String(isRate ? toPercent(limit) : limit));
  const toLimit = (text: string) => {
    const limit = parseLimit(text);
    return limit === null || !isRate ? limit : limit / 100;
  };
  const [typed, setTyped] = useState({ low: toText(limits?.low), high: toText(limits?.high) });
  const errors = findLimitErrors(typed, isLog);
  const write = (next: typeof typed) => {
    setTyped(next);
    if (Object.keys(findLimitErrors(next, isLog)).length === 0) {
      onChange({ low: toLimit(next.low), high: toLimit(next.high) });
    }
  };
  const ends = [
    { end: "low", label: isRate ? "y from (%)" : "y from" },
    { end: "high", label: isRate ? "to (%)" : "to" },
  ] as const;
  return (
    <div className="flex items-start gap-2">
      {ends.map(({ end, label }) => (
        <TextField
          key={end}
          label={label}
          error={errors[end]}
          className="flex-1"
          inputMode="decimal"
          placeholder="data"
          value={typed[end]}
          onChange={({ target }) => write({ ...typed, [end]: target.value })}
        />
      ))}
      <Button
        kind="quiet"
        className="mt-5.5"
        disabled={typed.low + typed.high === ""}
        onClick={() => write({ low: "", high: "" })}
      >
        Reset
      </Button>
    </div>
  );
}

/** Converts a fraction to per cent without the rounding error of 100 × 0.07. */
function toPercent(fraction: number): number {
  return Number((100 * fraction).toPrecision(12));
}
