"use client";
import { useRef, type KeyboardEvent, type PointerEvent } from "react";
import { brushBetween, placesOf, type Brush } from "./brush.ts";
import { frame, type Geometry } from "./geometry.ts";
import type { AxisModel } from "./prepareAxis.ts";

type Props = {
  axis: AxisModel;
  index: number;
  geometry: Geometry;
  brush: Brush | undefined;
  onBrush: (brush: Brush | undefined) => void;
  onMove: (to: number) => void;
};

/** Controls of one axis: dragging its title moves it, dragging along it selects a range; arrow keys do the same. */
export function AxisControl({ axis, index, geometry, brush, onBrush, onMove }: Props) {
  const { xOf, yOf } = geometry;
  const [low, high] = (brush && placesOf(brush, axis)) ?? [0, 1];
  const select = (from: number, to: number) => onBrush(brushBetween(axis, from, to));
  const handles = [
    { end: "from", place: low, other: high, onPlace: (place: number) => select(place, high) },
    { end: "to", place: high, other: low, onPlace: (place: number) => select(low, place) },
  ] as const;
  return (
    <div className="absolute top-0" style={{ left: xOf(index) }}>
      <AxisTitle axis={axis} index={index} geometry={geometry} onMove={onMove} />
      <BrushArea geometry={geometry} onSelect={select} onClear={() => onBrush(undefined)} />
      {brush && (
        <div
          className="pointer-events-none absolute left-0 w-4 -translate-x-1/2 rounded-sm border border-accent bg-accent/25"
          style={{ top: yOf(Math.min(1.02, high)), height: Math.max(4, yOf(low) - yOf(high)) }}
        />
      )}
      {handles.map((handle) => (
        <Handle key={handle.end} axis={axis} geometry={geometry} {...handle} />
      ))}
    </div>
  );
}

type TitleProps = Pick<Props, "axis" | "index" | "geometry" | "onMove">;

function AxisTitle({ axis, index, geometry: { spacing }, onMove }: TitleProps) {
  const start = useRef<{ x: number; index: number }>(undefined);
  const move = ({ key }: KeyboardEvent) => {
    if (key === "ArrowLeft") onMove(index - 1);
    if (key === "ArrowRight") onMove(index + 1);
  };
  const drag = ({ clientX }: PointerEvent) => {
    if (!start.current) return;
    const to = start.current.index + Math.round((clientX - start.current.x) / spacing);
    if (to !== index) onMove(to);
  };
  return (
    <button
      type="button"
      aria-label={`${axis.title}: arrow keys move the axis`}
      title="Drag sideways, or press ← →, to move this axis"
      className="absolute top-0 line-clamp-2 -translate-x-1/2 cursor-ew-resize touch-none rounded px-1 text-center text-xs leading-tight font-medium hover:bg-sunken"
      style={{ width: spacing - 10, maxHeight: frame.top - 16 }}
      onKeyDown={move}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, index };
      }}
      onPointerMove={drag}
      onPointerUp={() => (start.current = undefined)}
    >
      {axis.title}
    </button>
  );
}

type AreaProps = { geometry: Geometry; onSelect: (from: number, to: number) => void; onClear: () => void };

/** Area along an axis: dragging in it selects a range of values, a click clears the selection. */
function BrushArea({ geometry: { yOf, placeAt }, onSelect, onClear }: AreaProps) {
  const from = useRef<number>(undefined);
  const placeOf = ({ clientY, currentTarget }: PointerEvent<HTMLElement>) =>
    placeAt(yOf(1) + clientY - currentTarget.getBoundingClientRect().top - reach);
  return (
    <div
      className="absolute w-7 -translate-x-1/2 cursor-crosshair touch-none"
      style={{ top: yOf(1) - reach, height: yOf(0) - yOf(1) + 2 * reach }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = placeOf(event);
      }}
      onPointerMove={(event) => {
        const to = placeOf(event);
        if (from.current !== undefined && Math.abs(to - from.current) > 0.01) onSelect(from.current, to);
      }}
      onPointerUp={(event) => {
        if (from.current !== undefined && Math.abs(placeOf(event) - from.current) <= 0.01) onClear();
        from.current = undefined;
      }}
    />
  );
}

/** Distance in pixels beyond the ends of an axis within which a drag may begin. */
const reach = 6;

type HandleProps = {
  axis: AxisModel;
  end: "from" | "to";
  place: number;
  /** Position from 0 to 1 of the other handle, which this handle cannot pass. */
  other: number;
  geometry: Geometry;
  onPlace: (place: number) => void;
};

const numSteps = 40;

/** Handle at one end of a selected range. Arrow keys move it by one level, or by 1/40 of the axis. */
function Handle({ axis, end, place, other, geometry: { yOf }, onPlace }: HandleProps) {
  const stops = axis.stops ?? Array.from({ length: numSteps + 1 }, (_, i) => i / numSteps);
  const at = nearestStop(stops, place);
  const [least, most] =
    end === "from" ? [0, nearestStop(stops, other) - 1] : [nearestStop(stops, other) + 1, stops.length - 1];
  const goTo = (to: number) => onPlace(stops[Math.min(most, Math.max(least, to))] ?? place);
  const steps: Readonly<Record<string, number>> = {
    ArrowUp: at + 1,
    ArrowRight: at + 1,
    ArrowDown: at - 1,
    ArrowLeft: at - 1,
    Home: 0,
    End: stops.length - 1,
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={`${axis.title}, ${end}`}
      aria-valuemin={0}
      aria-valuemax={stops.length - 1}
      aria-valuenow={at}
      aria-valuetext={describePlace(axis, place, end)}
      className="pointer-events-none absolute h-1.5 w-4 -translate-x-1/2 -translate-y-1/2 rounded-sm border border-edge bg-surface focus-visible:h-2.5 focus-visible:bg-accent"
      style={{ top: yOf(Math.min(1.01, Math.max(-0.01, place))) }}
      onKeyDown={(event) => {
        const to = steps[event.key];
        if (to === undefined) return;
        event.preventDefault();
        goTo(to);
      }}
    />
  );
}

function nearestStop(stops: readonly number[], place: number): number {
  const distance = (i: number) => Math.abs((stops[i] ?? 0) - place);
  return stops.reduce((best, _, i) => (distance(i) < distance(best) ? i : best), 0);
}

/** Describes a handle for screen readers: the outermost value that the selected range includes at this end. */
function describePlace({ levels, valueAt }: AxisModel, place: number, end: "from" | "to"): string {
  if (!levels) return String(Number(valueAt(Math.min(1, Math.max(0, place))).toPrecision(4)));
  const inside =
    end === "from" ? levels.find((level) => level.place >= place) : levels.findLast((level) => level.place <= place);
  return String(inside?.value ?? "none");
}
