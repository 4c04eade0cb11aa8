import { plotFrame, widthOf } from "./axes.ts";
import type { ChartModel } from "./prepareChart.ts";
import { lastValues } from "./valuesAt.ts";

/** Minimum figure width in pixels for names at the lines' ends. In a narrower figure, names would fill the plot. */
const narrowest = 360;
const gap = 24;

/** Returns the width in pixels right of the plot for whiskers and line names; undefined if the plot has neither. */
export function roomForNames(
  model: Pick<ChartModel, "isCrowded" | "rows" | "references" | "whiskers">,
  width: number,
): number | undefined {
  if (!model.isCrowded) return undefined;
  const { rows, references } = model;
  const lane = laneFor(model);
  const names = roomFor([...rows.map(({ entry }) => entry.label), ...references.map(({ short }) => short)], width);
  if (names !== undefined) return names + lane;
  return lane === 0 ? undefined : plotFrame.right + lane;
}

/** Returns the width in pixels, beside the plot, for the whiskers of all lines side by side; 0 without whiskers. */
export function laneFor({ whiskers }: Pick<ChartModel, "whiskers">): number {
  return whiskers.length === 0 ? 0 : Math.round(Math.min(72, 6 * whiskers.length)) + 4;
}

/** Returns the width in pixels for line names; undefined if the figure is too narrow for names. */
export function roomFor(names: readonly string[], width: number): number | undefined {
  if (width < narrowest) return undefined;
  const widest = names.reduce((most, name) => Math.max(most, widthOf(name)), 0);
  return Math.max(plotFrame.right, Math.min(gap + widest + 4, 0.3 * width));
}

/** Shortens names to `room` pixels. If one does not fit, all lines (not baselines) drop the first words they share. */
export function shortNames(ends: readonly { label: string; isLevel?: boolean }[], room: number): string[] {
  const names = ends.map(({ label }) => cutName(label, room));
  if (ends.every(({ label }, i) => label === names[i])) return names;
  const words = ends.flatMap(({ label, isLevel }) => (isLevel ? [] : [label.split(" ")]));
  const [first = []] = words;
  const numShared = first.findIndex((word, i) => words.some((other) => other[i] !== word || other.length === i + 1));
  const start = first.slice(0, Math.max(0, numShared)).join(" ").length;
  return ends.map(({ label, isLevel }) => cutName(isLevel ? label : label.slice(start).trimStart(), room));
}

/** Shortens a name by cutting its middle, because names in one chart start alike and differ at their ends. */
export function cutName(name: string, room: number): string {
  const most = Math.max(3, Math.floor((room - gap) / widthOf("m")));
  if (name.length <= most) return name;
  const numLast = Math.floor((most - 1) / 2);
  return `${name.slice(0, most - 1 - numLast).trimEnd()}…${name.slice(-numLast).trimStart()}`;
}

/** Returns the last point of each line in data units, with the line's name and look. */
export function endsOfLines(model: ChartModel) {
  return lastValues(model.rows).map(({ entry: { id, label, color, dash }, iteration, value }) => {
    // The last point is that of the drawn line, which is smoothed if smoothing is on.
    const drawn = model.lines.findLast((line) => line.id === id && line.weight !== "seed" && line.weight !== "ghost");
    const end = drawn?.segments.at(-1)?.at(-1);
    return { id, label, color, dash, x: end?.x ?? iteration, y: end?.y ?? value };
  });
}

/** Vertical distance in pixels between two line names. */
const rowHeight = 13;

/** Last point of a line, in pixels. `isLevel`: a horizontal line over the whole plot, such as a baseline. */
export type EndOfLine = { id: string; label: string; x: number; y: number; isLevel?: boolean };
/** Name of a line with the y coordinate `at` of its centre, in pixels. */
type PlacedName = EndOfLine & { at: number };

/** Places line names without overlap, near their lines' ends. If not all fit, the highest are kept. */
export function placeLineNames(
  ends: readonly EndOfLine[],
  { y: top, height }: { y: number; height: number },
): { names: PlacedName[]; numLeft: number } {
  const most = Math.max(1, Math.floor(height / rowHeight));
  const sorted = ends.toSorted((a, b) => a.y - b.y);
  // If not all names fit, the last row states the number of omitted names.
  const shown = sorted.length <= most ? sorted : sorted.slice(0, most - 1);
  const [first, last] = [
    top + rowHeight / 2,
    top + height - rowHeight / 2 - (shown.length < sorted.length ? rowHeight : 0),
  ];
  const blocks: { names: EndOfLine[]; from: number }[] = [];
  for (const end of shown) {
    blocks.push({ names: [end], from: within(end.y, first, last) });
    // Merges groups of names that would overlap, and centres each group at the mean y of its lines.
    for (let [before, block] = blocks.slice(-2); before && block; [before, block] = blocks.slice(-2)) {
      if (before.from + before.names.length * rowHeight <= block.from) break;
      const names = [...before.names, ...block.names];
      const middle = names.reduce((sum, { y }, i) => sum + y - i * rowHeight, 0) / names.length;
      blocks.splice(-2, 2, { names, from: within(middle, first, last - (names.length - 1) * rowHeight) });
    }
  }
  return {
    names: blocks.flatMap(({ names, from }) => names.map((end, i) => ({ ...end, at: from + i * rowHeight }))),
    numLeft: sorted.length - shown.length,
  };
}

function within(y: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, y));
}
