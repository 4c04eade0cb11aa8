import { plotFrame, widthOf } from "./axes.ts";
import type { ChartModel } from "./prepareChart.ts";
import { lastValues } from "./valuesAt.ts";

/** Narrower plots would be all names. */
const narrowest = 340;
const gap = 24;

/** Pixels that whiskers and the names of lines take right of the plot; undefined where nothing stands there. */
export function roomForNames(model: ChartModel, width: number): number | undefined {
  if (!model.isCrowded) return undefined;
  const { rows, references } = model;
  const lane = laneFor(model);
  const names = roomFor([...rows.map(({ entry }) => entry.label), ...references.map(({ short }) => short)], width);
  return names === undefined ? lane && plotFrame.right + lane : names + lane;
}

/** Pixels that whiskers of lines which end at the plot's edge take beside it, one next to the other. */
export function laneFor({ whiskers }: Pick<ChartModel, "whiskers">): number {
  return whiskers.length === 0 ? 0 : Math.round(Math.min(72, 6 * whiskers.length)) + 4;
}

/** Pixels for names beside a figure of such a width; undefined where it is too narrow. */
export function roomFor(names: readonly string[], width: number): number | undefined {
  if (width < narrowest) return undefined;
  const widest = names.reduce((most, name) => Math.max(most, widthOf(name)), 0);
  return Math.max(plotFrame.right, Math.min(gap + widest + 4, 0.3 * width));
}

/**
 * Names as so many pixels have room for them: where one has not, lines leave out the words that each of them begins with.
 * Levels across the plot keep theirs.
 */
export function shortNames(ends: readonly { label: string; isLevel?: boolean }[], room: number): string[] {
  const names = ends.map(({ label }) => cutName(label, room));
  if (ends.every(({ label }, i) => label === names[i])) return names;
  const words = ends.flatMap(({ label, isLevel }) => (isLevel ? [] : [label.split(" ")]));
  const [first = []] = words;
  const numShared = first.findIndex((word, i) => words.some((other) => other[i] !== word || other.length === i + 1));
  const start = first.slice(0, Math.max(0, numShared)).join(" ").length;
  return ends.map(({ label, isLevel }) => cutName(isLevel ? label : label.slice(start).trimStart(), room));
}

/** A name cut to so many pixels, in its middle: names of one chart begin alike, and what tells them apart stands at their ends. */
export function cutName(name: string, room: number): string {
  const most = Math.max(3, Math.floor((room - gap) / widthOf("m")));
  if (name.length <= most) return name;
  const numLast = Math.floor((most - 1) / 2);
  return `${name.slice(0, most - 1 - numLast).trimEnd()}…${name.slice(-numLast).trimStart()}`;
}

/** Where each line ends, on the chart's axes. */
export function endsOfLines(model: ChartModel) {
  return lastValues(model.rows).map(({ entry: { id, label, color, dash }, iteration, value }) => {
    // As it is drawn: smoothed, where it is smoothed.
    const drawn = model.lines.findLast((line) => line.id === id && line.weight !== "seed" && line.weight !== "ghost");
    const end = drawn?.segments.at(-1)?.at(-1);
    return { id, label, color, dash, x: end?.x ?? iteration, y: end?.y ?? value };
  });
}
