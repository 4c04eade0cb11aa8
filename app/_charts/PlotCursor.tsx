"use client";
import { useMemo, type KeyboardEvent, type PointerEvent } from "react";
import { plotFrame } from "./axes.ts";
import { CursorLine, toPercent } from "./CursorLine.tsx";
import { useCursor } from "./cursor.tsx";
import { useLiftedLine } from "./liftedLine.tsx";
import type { ChartModel } from "./prepareChart.ts";
import { marksNear } from "./prepareRestarts.ts";
import { useDragRange } from "./useDragRange.ts";
import { cursorStops, nearestIndex, nearestReading, valuesAt, type Reading } from "./valuesAt.ts";

type Props = {
  model: ChartModel;
  /** Pixels right of the plot, for names there. */
  right?: number | undefined;
  onZoom: (range: readonly [number, number] | null) => void;
};

/**
 * Cursor over a plot: pointer or arrow keys move it in all charts of the page. Dragging zooms; Escape or a double click resets the zoom. For
 * assistive technology it is a slider over iterations that announces values.
 */
export function PlotCursor({ model, right = plotFrame.right, onZoom }: Props) {
  const { cursor, stops, moveTo } = useStops(model);
  const [from, to] = model.x.domain;
  const readings = cursor ? valuesAt(model.rows, cursor.iteration) : [];
  const { dragged, handlers } = usePointer(model, readings, {
    onMove: (x) => moveTo(x === undefined ? undefined : stops[nearestIndex(stops, x)]),
    onSelect: onZoom,
  });
  const events = cursor
    ? marksNear([...model.events, ...model.marks, ...model.seedEdges], cursor.iteration, model.x.domain)
    : [];
  const remarks = events.map(({ label }) => label);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = cursor ? nearestIndex(stops, cursor.iteration) : -1;
    const next = nextStop(event, at, stops.length);
    if (next === undefined) return;
    event.preventDefault();
    moveTo(next === "leave" ? undefined : stops[next]);
    if (next === "leave") onZoom(null);
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={`Cursor over ${model.x.name.toLowerCase()}s of ${model.title}`}
      aria-valuemin={from}
      aria-valuemax={to}
      aria-valuenow={cursor?.iteration ?? from}
      aria-valuetext={
        cursor
          ? [formatReadings(model.x.name, cursor.iteration, readings), ...remarks].join("; ")
          : "no iteration chosen; use the arrow keys"
      }
      // A separate compositing layer: moving the cursor does not repaint the lines.
      className="absolute touch-pan-y select-none will-change-transform"
      style={{ top: plotFrame.top, right, bottom: plotFrame.bottom, left: plotFrame.left }}
      {...handlers}
      onDoubleClick={() => onZoom(null)}
      onBlur={() => moveTo(undefined)}
      onKeyDown={onKeyDown}
    >
      {cursor && cursor.iteration >= from && cursor.iteration <= to && (
        <CursorLine
          {...{ model, iteration: cursor.iteration, readings, remarks, isOwner: cursor.chartKey === nameOf(model) }}
        />
      )}
      {dragged && (
        <div
          className="pointer-events-none absolute inset-y-0 bg-accent/15"
          style={{ left: toPercent(dragged[0], model), right: `calc(100% - ${toPercent(dragged[1], model)})` }}
        />
      )}
    </div>
  );
}

/** The chart's own title, because charts of one metric differ in it. */
function nameOf({ key, title }: ChartModel): string {
  return `${key} ${title}`;
}

/** Follows the pointer, and highlights the nearest line. */
function usePointer({ x, y }: ChartModel, readings: readonly Reading[], on: Parameters<typeof useDragRange>[1]) {
  const [, lift] = useLiftedLine();
  const { dragged, handlers } = useDragRange(x, on);
  const onPointerMove = (event: PointerEvent) => {
    handlers.onPointerMove(event);
    const { top, height } = event.currentTarget.getBoundingClientRect();
    const nearest = nearestReading(readings, { y, height }, event.clientY - top);
    lift(...(nearest ? [nearest.entry.id] : []));
  };
  const onPointerLeave = () => {
    handlers.onPointerLeave();
    lift();
  };
  return { dragged, handlers: { ...handlers, onPointerMove, onPointerLeave } };
}

/** The page's cursor if it is on this chart's axis, and the iterations at which it can stop. */
function useStops(model: ChartModel) {
  const [anyCursor, setCursor] = useCursor();
  // Memoized: the stops are collected from every iteration of every line.
  const stops = useMemo(() => cursorStops(model.rows), [model.rows]);
  return {
    cursor: anyCursor?.axis === model.x.name ? anyCursor : null,
    stops,
    moveTo: (iteration: number | undefined) =>
      setCursor(iteration === undefined ? null : { axis: model.x.name, iteration, chartKey: nameOf(model) }),
  };
}

function formatReadings(axis: string, x: number, readings: readonly Reading[]): string {
  return `${axis.toLowerCase()} ${x.toLocaleString("en-US")}: ${readings.map(({ entry, text }) => `${entry.label} ${text}`).join("; ") || "no value"}`;
}

function nextStop(event: KeyboardEvent, at: number, count: number): number | "leave" | undefined {
  const stride = event.shiftKey ? 10 : 1;
  switch (event.key) {
    case "ArrowRight":
    case "ArrowUp":
      return Math.min(count - 1, at + stride);
    case "ArrowLeft":
    case "ArrowDown":
      return Math.max(0, (at === -1 ? count : at) - stride);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    case "Escape":
      return "leave";
    default:
      return undefined;
  }
}
