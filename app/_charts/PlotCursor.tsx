"use client";
import { useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import { useCursor } from "./cursor.tsx";
import { formatCount } from "./format.ts";
import { plotFrame, toFraction } from "./axes.ts";
import type { ChartModel } from "./prepareChart.ts";
import { restartsNear } from "./prepareRestarts.ts";
import { cursorStops, nearestIndex, valuesAt, type Reading } from "./valuesAt.ts";

type Props = { model: ChartModel; onZoom: (range: readonly [number, number] | null) => void };
/** A shorter drag is a click with an unsteady hand. */
const minDragPixels = 8;

/**
 * The cursor over a plot: pointer or arrow keys move it, all charts of the page follow. Dragging zooms, Escape or a
 * double click shows everything again. To assistive technology it is a slider over iterations that reads values out.
 */
export function PlotCursor({ model, onZoom }: Props) {
  const [anyCursor, setCursor] = useCursor();
  const cursor = anyCursor?.axis === model.x.name ? anyCursor : null;
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const area = useRef<HTMLDivElement>(null);
  const stops = cursorStops(model.rows);
  const [from, to] = model.x.domain;
  const readings = cursor ? valuesAt(model.rows, cursor.iteration) : [];
  const remarks = cursor
    ? restartsNear(model.restarts, cursor.iteration, model.x.domain).map(({ label }) => label)
    : [];

  const moveTo = (iteration: number | undefined) =>
    setCursor(iteration === undefined ? null : { axis: model.x.name, iteration, chartKey: model.key });
  const iterationAt = (event: PointerEvent) => {
    const box = area.current?.getBoundingClientRect();
    if (!box || box.width === 0) return from;
    return from + (to - from) * Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  };
  const onMove = (event: PointerEvent) => {
    const x = iterationAt(event);
    moveTo(stops[nearestIndex(stops, x)]);
    if (drag) setDrag({ ...drag, to: x });
  };
  const onUp = () => {
    const box = area.current?.getBoundingClientRect();
    if (drag && box && (Math.abs(drag.to - drag.from) / (to - from)) * box.width > minDragPixels) {
      const [low, high] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
      if (Math.round(high) > Math.round(low)) onZoom([Math.round(low), Math.round(high)]);
    }
    setDrag(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const at = cursor ? nearestIndex(stops, cursor.iteration) : -1;
    const next = nextStop(event, at, stops.length);
    if (next === undefined) return;
    event.preventDefault();
    if (next === "leave") {
      moveTo(undefined);
      onZoom(null);
    } else moveTo(stops[next]);
  };

  const left = (x: number) => toPercent(x, model);
  return (
    <div
      ref={area}
      role="slider"
      tabIndex={0}
      aria-label={`Cursor over iterations of ${model.title}`}
      aria-valuemin={from}
      aria-valuemax={to}
      aria-valuenow={cursor?.iteration ?? from}
      aria-valuetext={
        cursor
          ? [formatReadings(cursor.iteration, readings), ...remarks].join("; ")
          : "no iteration chosen; use the arrow keys"
      }
      className="absolute touch-pan-y select-none"
      style={{ top: plotFrame.top, right: plotFrame.right, bottom: plotFrame.bottom, left: plotFrame.left }}
      onPointerMove={onMove}
      onPointerDown={(event) =>
        event.pointerType === "mouse" && setDrag({ from: iterationAt(event), to: iterationAt(event) })
      }
      onPointerUp={onUp}
      onPointerLeave={() => {
        moveTo(undefined);
        setDrag(null);
      }}
      onDoubleClick={() => onZoom(null)}
      onBlur={() => moveTo(undefined)}
      onKeyDown={onKeyDown}
    >
      {cursor && cursor.iteration >= from && cursor.iteration <= to && (
        <CursorLine
          model={model}
          iteration={cursor.iteration}
          readings={readings}
          remarks={remarks}
          isOwner={cursor.chartKey === model.key}
        />
      )}
      {drag && (
        <div
          className="pointer-events-none absolute inset-y-0 bg-accent/15"
          style={{
            left: left(Math.min(drag.from, drag.to)),
            right: `calc(100% - ${left(Math.max(drag.from, drag.to))})`,
          }}
        />
      )}
    </div>
  );
}

type LineProps = {
  model: ChartModel;
  iteration: number;
  readings: readonly Reading[];
  remarks: readonly string[];
  /** The pointer is over this chart: it says the values. */
  isOwner: boolean;
};

function CursorLine({ model, iteration, readings, remarks, isOwner }: LineProps) {
  return (
    <>
      <div
        className="pointer-events-none absolute inset-y-0 w-px bg-muted/70"
        style={{ left: toPercent(iteration, model) }}
      />
      {readings.map(({ entry, iteration: x, mean }) => (
        <Dot key={entry.id} model={model} x={x} y={mean} color={entry.color} />
      ))}
      {isOwner && (
        <Readout
          axis={model.x.name}
          iteration={iteration}
          readings={readings}
          remarks={remarks}
          side={toPercent(iteration, model)}
          isLeft={toFraction(iteration, model.x.domain, "linear") > 0.5}
        />
      )}
    </>
  );
}

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

const maxReadings = 12;
const maxRemarks = 3;

function Readout(props: {
  axis: string;
  iteration: number;
  readings: readonly Reading[];
  remarks: readonly string[];
  side: string;
  isLeft: boolean;
}) {
  const ordered = props.readings.toSorted((a, b) => b.mean - a.mean);
  const rest = ordered.length - maxReadings;
  return (
    <div
      className="pointer-events-none absolute top-0 z-10 rounded-md border border-line bg-surface/95 px-2 py-1.5 text-xs whitespace-nowrap shadow-lg"
      style={props.isLeft ? { right: `calc(100% - ${props.side} + 10px)` } : { left: `calc(${props.side} + 10px)` }}
    >
      <div className="mb-0.5 font-medium">
        {props.axis} {props.iteration.toLocaleString("en-US")}
      </div>
      <table>
        <tbody>
          {ordered.slice(0, maxReadings).map((reading) => (
            <tr key={reading.entry.id}>
              <td className="pr-1.5">
                <span className="inline-block size-2 rounded-full" style={{ background: reading.entry.color }} />
              </td>
              <td className="max-w-40 truncate pr-3">{reading.entry.label}</td>
              <td className="text-right font-medium">{reading.text}</td>
              <td className="pl-2 text-right text-muted">
                {reading.iteration === props.iteration ? `n ${reading.count}` : `at ${reading.iteration}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 && <div className="text-muted">and {rest} more</div>}
      {props.remarks.slice(0, maxRemarks).map((remark) => (
        <div key={remark} className="mt-0.5 max-w-60 whitespace-normal">
          {remark}
        </div>
      ))}
      {props.remarks.length > maxRemarks && (
        <div className="text-muted">and {formatCount(props.remarks.length - maxRemarks, "more restart")}</div>
      )}
    </div>
  );
}

function formatReadings(iteration: number, readings: readonly Reading[]): string {
  return `iteration ${iteration}: ${readings.map(({ entry, text }) => `${entry.label} ${text}`).join("; ") || "no value"}`;
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
