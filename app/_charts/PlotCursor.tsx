"use client";

import { type KeyboardEvent, type PointerEvent, use, useMemo, useRef, useState, useEffect } from "react";
import { plotFrame, toFraction } from "./axes.ts";
import { GroupsLinkContext, useCursor } from "./cursor.tsx";
import { formatCount } from "./format.ts";
import { useLiftedLine } from "./liftedLine.tsx";
import type { ChartModel } from "./prepareChart.ts";
import { marksNear } from "./prepareRestarts.ts";
import { cursorStops, nearestIndex, nearestReading, type Reading, valuesAt } from "./valuesAt.ts";

type Props = {
  model: ChartModel;
  /** Width in pixels right of the plot, reserved for line names. */
  right?: number | undefined;
  onZoom: (range: readonly [number, number] | null) => void;
};

/** Cursor of all charts: pointer or arrow keys move it, dragging zooms, Escape resets. Screen readers get a slider. */
export function PlotCursor({ model, right = plotFrame.right, onZoom }: Props) {
  const { cursor, stops, moveTo } = useStops(model);
  const [from, to] = model.x.domain;
  const readings = cursor ? valuesAt(model.rows, cursor.iteration) : [];
  const openGroups = useGroupsLink(model);
  const { dragged, handlers } = usePointer(model, readings, {
    onOpen: openGroups && cursor ? () => openGroups(cursor.iteration) : undefined,
    onMove: (x) => moveTo(x === undefined ? undefined : stops[nearestIndex(stops, x)]),
    onZoom,
  });
  const events = cursor
    ? marksNear([...model.events, ...model.marks, ...model.seedEdges], cursor.iteration, model.x.domain)
    : [];
  const remarks = events.map(({ label }) => label);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && cursor) openGroups?.(cursor.iteration);
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
      // The cursor has its own compositing layer, so moving it does not repaint the lines.
      className="absolute touch-pan-y select-none will-change-transform"
      style={{ top: plotFrame.top, right, bottom: plotFrame.bottom, left: plotFrame.left }}
      {...handlers}
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

/** Returns the function that opens an iteration's training groups, if the x-axis shows iterations. */
function useGroupsLink({ x }: ChartModel): ((iteration: number) => void) | undefined {
  const open = use(GroupsLinkContext);
  return x.name === "Iteration" ? open : undefined;
}

/** Time in ms after which a click is no part of a double click, which resets the zoom. */
const doubleClickMs = 300;

/** Calls a function after a single click, and not within a double click. */
function useSingleClick(act: (() => void) | undefined): { click: () => void; cancel: () => void } {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const cancel = () => clearTimeout(timer.current);
  useEffect(() => () => clearTimeout(timer.current), []);
  const click = () => {
    cancel();
    if (act) timer.current = setTimeout(act, doubleClickMs);
  };
  return { click, cancel };
}

/** Identifies a chart by metric key and title, because several charts may show the same metric. */
function nameOf({ key, title }: ChartModel): string {
  return `${key} ${title}`;
}

type PointerActions = Pick<Handlers, "onMove"> & Pick<Props, "onZoom"> & { onOpen: (() => void) | undefined };

function usePointer({ x, y }: ChartModel, readings: readonly Reading[], on: PointerActions) {
  const [, lift] = useLiftedLine();
  const single = useSingleClick(on.onOpen);
  const { dragged, handlers } = useDragRange(x, { onMove: on.onMove, onSelect: on.onZoom, onClick: single.click });
  const onDoubleClick = () => {
    single.cancel();
    on.onZoom(null);
  };
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
  return { dragged, handlers: { ...handlers, onPointerMove, onPointerLeave, onDoubleClick } };
}

/** Returns the shared cursor if it is on this chart's x-axis, the iterations at which it can stop, and a setter. */
function useStops(model: ChartModel) {
  const [anyCursor, setCursor] = useCursor();
  // Memoized, because every iteration of every line is visited.
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

type LineProps = {
  model: ChartModel;
  iteration: number;
  readings: readonly Reading[];
  remarks: readonly string[];
  /** True if the reader moves the cursor in this chart; only this chart lists the values at the cursor. */
  isOwner: boolean;
};

function CursorLine({ model, iteration, readings, remarks, isOwner }: LineProps) {
  return (
    <>
      <div
        className="pointer-events-none absolute inset-y-0 w-px bg-muted/70"
        style={{ left: toPercent(iteration, model) }}
      />
      {readings.map(({ entry, iteration: x, value }) => (
        <Dot key={entry.id} model={model} x={x} y={value} color={entry.color} />
      ))}
      {isOwner && <CursorReadout model={model} iteration={iteration} readings={readings} remarks={remarks} />}
    </>
  );
}

/** Converts an x value to its horizontal position, in percent of the plot's width. */
function toPercent(x: number, model: ChartModel): string {
  return `${100 * toFraction(x, model.x.domain, "linear")}%`;
}

function Dot({ model, x, y, color }: { model: ChartModel; x: number; y: number; color: string }) {
  const height = toFraction(y, model.y.domain, model.y.scale);
  const width = toFraction(x, model.x.domain, "linear");
  if (!(height >= 0 && height <= 1 && width >= 0 && width <= 1)) return null;
  return (
    <div
      className="pointer-events-none absolute size-2 -translate-1/2 rounded-full border border-surface"
      style={{ left: `${100 * width}%`, top: `${100 * (1 - height)}%`, background: color }}
    />
  );
}

type Range = readonly [number, number];
type Axis = { domain: Range; isWhole: boolean };
type Handlers = {
  /** Called with the x value under the pointer, or undefined when the pointer leaves the chart. */
  onMove: (x: number | undefined) => void;
  /** Called after a click of the mouse, also the two of a double click. */
  onClick: () => void;
  /** Called with the dragged range; ends are rounded to integers, or to a power of ten of at most 1 % of the axis. */
  onSelect: (range: Range) => void;
};

/** Minimum length of a drag in pixels; a shorter drag counts as a click. */
const minDragPixels = 8;

/** Pointer handlers that convert positions to x values and select a range; `dragged` is the range of a current drag. */
function useDragRange({ domain: [from, to], isWhole }: Axis, { onMove, onClick, onSelect }: Handlers) {
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const dragged: Range | null = drag && [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
  const xAt = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return width === 0 ? from : from + (to - from) * Math.min(1, Math.max(0, (clientX - left) / width));
  };
  const finish = ({ currentTarget }: PointerEvent) => {
    setDrag(null);
    if (!dragged) return;
    const pixels = ((dragged[1] - dragged[0]) / (to - from)) * currentTarget.getBoundingClientRect().width;
    const [low, high] = dragged.map((x) => roundTo(x, isWhole ? 1 : 10 ** Math.floor(Math.log10(to - from) - 2)));
    if (pixels <= minDragPixels) onClick();
    else if (low !== undefined && high !== undefined && high > low) onSelect([low, high]);
  };
  return {
    dragged,
    handlers: {
      onPointerMove: (event: PointerEvent) => {
        const x = xAt(event);
        onMove(x);
        if (drag) setDrag({ ...drag, to: x });
      },
      onPointerDown: (event: PointerEvent) => {
        if (event.pointerType === "mouse" && event.button === 0) setDrag({ from: xAt(event), to: xAt(event) });
      },
      onPointerUp: finish,
      onPointerLeave: () => {
        onMove(undefined);
        setDrag(null);
      },
    },
  };
}

function roundTo(x: number, step: number): number {
  return Number((Math.round(x / step) * step).toPrecision(6));
}

const maxReadings = 12;
const maxRemarks = 3;

/** Box beside the cursor that lists the lines' values at the cursor, highest first, and the events near it. */
function CursorReadout({ model, iteration, readings, remarks }: Omit<LineProps, "isOwner">) {
  const [lifted] = useLiftedLine();
  const openGroups = useGroupsLink(model);
  const side = toPercent(iteration, model);
  const isLeft = toFraction(iteration, model.x.domain, "linear") > 0.5;
  const ordered = readings.toSorted((a, b) => b.value - a.value);
  const rest = ordered.length - maxReadings;
  return (
    <div
      className="pointer-events-none absolute top-0 z-10 rounded-md border border-line bg-surface/95 px-2 py-1.5 text-xs whitespace-nowrap shadow-lg"
      style={isLeft ? { right: `calc(100% - ${side} + 10px)` } : { left: `calc(${side} + 10px)` }}
    >
      <div className="mb-0.5 font-medium">
        {model.x.name} {iteration.toLocaleString("en-US")}
      </div>
      <table>
        <tbody>
          {ordered.slice(0, maxReadings).map((reading) => (
            <tr key={reading.entry.id} className={lifted.has(reading.entry.id) ? "bg-sunken font-semibold" : ""}>
              <td className="pr-1.5">
                <span className="inline-block size-2 rounded-full" style={{ background: reading.entry.color }} />
              </td>
              <td className="max-w-40 truncate pr-3">{reading.entry.label}</td>
              <td className="text-right font-medium">{reading.text}</td>
              <td className="pl-2 text-right text-muted">
                {reading.iteration === iteration
                  ? nameCount(reading)
                  : `at ${reading.iteration.toLocaleString("en-US")}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 && <div className="text-muted">and {rest} more</div>}
      {remarks.slice(0, maxRemarks).map((remark) => (
        <div key={remark} className="mt-0.5 max-w-60 whitespace-normal">
          {remark}
        </div>
      ))}
      {remarks.length > maxRemarks && (
        <div className="text-muted">and {formatCount(remarks.length - maxRemarks, "more event")}</div>
      )}
      {openGroups && <div className="mt-0.5 text-muted">Click or Enter: training groups</div>}
    </div>
  );
}

/** Formats the number of seeds in a mean: "n 4", or "n 4, 2 of them logged at this step" if two are interpolated. */
function nameCount({ count, measured }: Reading): string {
  return measured < count ? `n ${count}, ${measured} of them logged at this step` : `n ${count}`;
}
