"use client";
import type { KeyboardEvent, MouseEvent } from "react";
import { groupBy } from "#packages/base";
import type { LegendEntry } from "./names.ts";
import { classes } from "../_ui/classes.ts";
import { soloed, toggled, type ChartSettings } from "./settings.ts";
import { formatCount } from "./format.ts";
import { useLiftedLine } from "./liftedLine.tsx";

type Props = {
  entries: readonly LegendEntry[];
  settings: ChartSettings;
  onChange: (settings: ChartSettings) => void;
  isList?: boolean;
};

/** Legend of all charts: hovering highlights a line, a click hides it, Alt-click or Alt+Enter shows only it. */
export function Legend({ entries, settings, onChange, isList = false }: Props) {
  const [, lift] = useLiftedLine();
  const alike = groupAlike(entries);
  const all = entries.map((entry) => entry.id);
  const choose = (ids: readonly string[], isAlone: boolean) =>
    onChange({ ...settings, hidden: isAlone ? soloed(settings.hidden, all, ids) : toggled(settings.hidden, ...ids) });
  const onKeyDown = (ids: readonly string[]) => (event: KeyboardEvent) => {
    if (!event.altKey || event.key !== "Enter") return;
    event.preventDefault();
    choose(ids, true);
  };
  const numShown = alike.filter((same) => same.some(({ id }) => !settings.hidden.has(id))).length;
  return (
    <div
      role="group"
      aria-label="Lines"
      className={classes("flex gap-x-1 gap-y-0.5", isList ? "flex-col items-start" : "flex-wrap items-center")}
    >
      {alike
        .map((same) => ({ ...same[0], ids: same.map(({ id }) => id) }))
        .map(({ ids, label, color, dash }) => (
          <button
            key={ids[0]}
            type="button"
            aria-pressed={ids.some((id) => !settings.hidden.has(id))}
            title="Click to show or hide this line, Alt-click to show only this line"
            onClick={(event: MouseEvent) => choose(ids, event.altKey)}
            onKeyDown={onKeyDown(ids)}
            onPointerEnter={() => lift(...ids)}
            onPointerLeave={() => lift()}
            onFocus={() => lift(...ids)}
            onBlur={() => lift()}
            className="inline-flex items-center gap-1.5 rounded px-1.5 py-0.5 text-sm hover:bg-sunken not-aria-pressed:text-muted not-aria-pressed:line-through not-aria-pressed:opacity-60"
          >
            <svg aria-hidden="true" viewBox="0 0 18 8" className="h-2 w-4.5">
              <path d="M0 4H18" stroke={color} strokeWidth="3" strokeDasharray={dash} />
            </svg>
            {label}
          </button>
        ))}
      {numShown < alike.length && (
        <button
          type="button"
          className="px-1.5 text-xs text-accent underline-offset-2 hover:underline"
          onClick={() => onChange({ ...settings, hidden: new Set() })}
        >
          {numShown} of {formatCount(alike.length, "line")} shown; show all
        </button>
      )}
    </div>
  );
}

/** Groups legend entries with the same label, colour and dash pattern, whose lines are in different charts. */
export function groupAlike(entries: readonly LegendEntry[]): LegendEntry[][] {
  return [...groupBy(entries, ({ label, color, dash }) => `${label} ${color} ${dash}`).values()];
}
