"use client";
import type { KeyboardEvent, MouseEvent } from "react";
import type { LegendEntry } from "./names.ts";
import { classes } from "../_ui/classes.ts";
import { soloed, toggled, type ChartSettings } from "./settings.ts";
import { formatCount } from "./format.ts";
import { useLiftedLine } from "./liftedLine.tsx";

type Props = {
  entries: readonly LegendEntry[];
  settings: ChartSettings;
  onChange: (settings: ChartSettings) => void;
  /** One under another. */
  isList?: boolean;
};

/** One legend for all charts of a page: pointing at a line lifts it, click shows or hides a line, Alt-click (or Alt+Enter) shows it alone. */
export function Legend({ entries, settings, onChange, isList = false }: Props) {
  const [, lift] = useLiftedLine();
  const ids = entries.map((entry) => entry.id);
  const choose = (id: string, isAlone: boolean) =>
    onChange({ ...settings, hidden: isAlone ? soloed(settings.hidden, ids, id) : toggled(settings.hidden, id) });
  const onKeyDown = (id: string) => (event: KeyboardEvent) => {
    if (!event.altKey || event.key !== "Enter") return;
    event.preventDefault();
    choose(id, true);
  };
  const numHidden = ids.filter((id) => settings.hidden.has(id)).length;
  return (
    <div
      role="group"
      aria-label="Lines"
      className={classes("flex gap-x-1 gap-y-0.5", isList ? "flex-col items-start" : "flex-wrap items-center")}
    >
      {entries.map(({ id, label, color, dash }) => (
        <button
          key={id}
          type="button"
          aria-pressed={!settings.hidden.has(id)}
          title="Click to show or hide, Alt-click to show alone"
          onClick={(event: MouseEvent) => choose(id, event.altKey)}
          onKeyDown={onKeyDown(id)}
          onPointerEnter={() => lift(id)}
          onPointerLeave={() => lift(null)}
          onFocus={() => lift(id)}
          onBlur={() => lift(null)}
          className="inline-flex items-center gap-1.5 rounded px-1.5 py-0.5 text-sm hover:bg-sunken not-aria-pressed:text-muted not-aria-pressed:line-through not-aria-pressed:opacity-60"
        >
          <svg aria-hidden="true" viewBox="0 0 18 8" className="h-2 w-4.5">
            <path d="M0 4H18" stroke={color} strokeWidth="3" strokeDasharray={dash} />
          </svg>
          {label}
        </button>
      ))}
      {numHidden > 0 && (
        <button
          type="button"
          className="px-1.5 text-xs text-accent underline-offset-2 hover:underline"
          onClick={() => onChange({ ...settings, hidden: new Set() })}
        >
          {ids.length - numHidden} of {formatCount(ids.length, "line")} shown; show all
        </button>
      )}
    </div>
  );
}
