import { useState, type PointerEvent } from "react";

type Range = readonly [number, number];
type Axis = { domain: Range; isWhole: boolean };
type Handlers = {
  /** Called with the x under the pointer; undefined after it left. */
  onMove: (x: number | undefined) => void;
  /** Called after a drag, with a range rounded to whole iterations or steps, or to 0.01 for times. */
  onSelect: (range: Range) => void;
};

/** A shorter drag counts as a click. */
const minDragPixels = 8;

/** Follows the pointer over an area whose width is the domain. `dragged` is the range under the pressed pointer, if any. */
export function useDragRange({ domain: [from, to], isWhole }: Axis, { onMove, onSelect }: Handlers) {
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
    if (pixels > minDragPixels && low !== undefined && high !== undefined && high > low) onSelect([low, high]);
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
        if (event.pointerType === "mouse") setDrag({ from: xAt(event), to: xAt(event) });
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
