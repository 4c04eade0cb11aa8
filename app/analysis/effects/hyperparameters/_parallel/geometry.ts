import type { AxisModel } from "./prepareAxis.ts";

/** Margins around the axes and minimum distance between them, in pixels. */
export const frame = { top: 48, bottom: 18, left: 112, right: 64 } as const;
const minSpacing = 124;

export type Geometry = {
  width: number;
  height: number;
  /** Returns the x coordinate in pixels of the axis with this index. */
  xOf: (index: number) => number;
  yOf: (place: number) => number;
  placeAt: (y: number) => number;
  spacing: number;
};

/** Distributes the axes over `room` pixels, never closer together than their labels need: the figure then scrolls. */
export function layOut(numAxes: number, room: number, height: number): Geometry {
  const gaps = Math.max(1, numAxes - 1);
  const spacing = Math.max(minSpacing, (room - frame.left - frame.right) / gaps);
  const length = height - frame.top - frame.bottom;
  return {
    width: frame.left + frame.right + spacing * gaps,
    height,
    spacing,
    xOf: (index) => frame.left + spacing * index,
    yOf: (place) => frame.top + (1 - place) * length,
    placeAt: (y) => 1 - (y - frame.top) / length,
  };
}

/** Returns the SVG path of a run's line through the axes, interrupted at axes where the run has no value. */
export function linePath(axes: readonly AxisModel[], run: number, { xOf, yOf }: Geometry): string {
  let isOpen = false;
  let path = "";
  for (const [index, { places }] of axes.entries()) {
    const place = places[run];
    if (place === undefined) {
      isOpen = false;
      continue;
    }
    path += `${isOpen ? "L" : "M"}${xOf(index).toFixed(1)} ${yOf(place).toFixed(1)}`;
    isOpen = true;
  }
  return path;
}

const reachPixels = 14;

/** Returns the index of the shown run whose line is nearest to a point in pixels; undefined if no line is near. */
export function findNearest(
  axes: readonly AxisModel[],
  { x, y, isShown }: { x: number; y: number; isShown: readonly boolean[] },
  { xOf, yOf, spacing }: Geometry,
): number | undefined {
  const left = Math.min(axes.length - 2, Math.max(0, Math.floor((x - xOf(0)) / spacing)));
  const [before, after] = [axes[left], axes[left + 1]];
  const share = Math.min(1, Math.max(0, (x - xOf(left)) / spacing));
  let nearest: { run: number; distance: number } | undefined;
  for (const [run, isIn] of isShown.entries()) {
    const [from, to] = [before?.places[run], after?.places[run]];
    if (!isIn || from === undefined || to === undefined) continue;
    const slope = (yOf(to) - yOf(from)) / spacing;
    const distance = Math.abs(yOf(from) + share * (yOf(to) - yOf(from)) - y) / Math.hypot(1, slope);
    if (distance < (nearest?.distance ?? reachPixels)) nearest = { run, distance };
  }
  return nearest?.run;
}
