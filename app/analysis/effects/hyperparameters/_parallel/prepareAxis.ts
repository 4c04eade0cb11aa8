import { unitOf } from "#server/domain/runs/table/field.ts";
import { writeFigure } from "#packages/statistics";
import { nameLevel } from "#server/domain/analysis/hyperparameters/column.ts";
import { labelTicks, toFraction } from "#app/_charts/axes.ts";
import { formatValue } from "#app/_charts/format.ts";
import { formatAxis } from "../_study/formatAxis.ts";
import { linearTicks, logTicks } from "#server/domain/runs/series/ticks.ts";
import { formatSetting } from "#packages/base";
import type { StudyColumn } from "#server/domain/analysis/hyperparameters/prepareStudy.ts";

/** A vertical axis of the parallel coordinates; position 0 is the bottom and 1 is the top. */
export type AxisModel = {
  key: string;
  title: string;
  /** (N,) position from 0 to 1 of each run on the axis; undefined for a run without a value. */
  places: (number | undefined)[];
  ticks: { place: number; text: string }[];
  /** Positions between levels at which a selected range may end; undefined if it may end anywhere. */
  stops: number[] | undefined;
  /** Distinct values of the runs with their positions; undefined if there are many. */
  levels: { place: number; value: string | number }[] | undefined;
  /** Returns the value at a position of an axis without levels. */
  valueAt: (place: number) => number;
};

/** Share of a named level's space over which its runs are spread, so that lines with equal values stay apart. */
const spreadShare = 0.6;

/** Converts a column to an axis; `outcome` determines the order of the runs within a named level. */
export function prepareAxis(
  { key, title, values, scale, field }: StudyColumn,
  outcome: StudyColumn["values"],
): AxisModel {
  if (scale.kind === "named") {
    const { levels } = scale;
    const placeOf = (index: number) => (index + 0.5) / levels.length;
    return {
      key,
      title,
      places: spreadNames(
        values.map((value) => levels.indexOf(nameLevel(value))),
        levels.length,
        outcome,
      ),
      ticks: levels.map((text, i) => ({ place: placeOf(i), text })),
      stops: Array.from({ length: levels.length + 1 }, (_, i) => i / levels.length),
      levels: levels.map((value, i) => ({ place: placeOf(i), value })),
      valueAt: () => NaN,
    };
  }
  const [low = 0, high = 1] = [scale.levels[0], scale.levels.at(-1)];
  const kind = scale.isLog ? "log" : "linear";
  const placeOf = (value: number) => (low === high ? 0.5 : toFraction(value, [low, high], kind));
  const format = field.group === "Metric" ? (x: number) => writeFigure(x, unitOf(key)) : formatSetting;
  const levels = scale.isGrid ? scale.levels.map((value) => ({ place: placeOf(value), value })) : undefined;
  return {
    key,
    title,
    places: values.map((value) => (typeof value === "number" ? placeOf(value) : undefined)),
    ticks: levels
      ? levels.map(({ place, value }) => ({ place, text: format(value) }))
      : numberTicks([low, high], kind, field.group === "Metric" ? format : formatAxis([low, high], formatValue)),
    stops: levels && stopsAround(levels.map(({ place }) => place)),
    levels,
    valueAt: (place) => (kind === "log" ? low * (high / low) ** place : low + place * (high - low)),
  };
}

/** Spreads the runs of a level over the level's space, in the order of their outcomes. */
function spreadNames(indices: readonly number[], numLevels: number, outcome: StudyColumn["values"]): number[] {
  const places = indices.map(() => 0);
  for (let level = 0; level < numLevels; level++) {
    const runs = [...indices.keys()].filter((run) => indices[run] === level);
    runs.sort((a, b) => Number(outcome[a] ?? -Infinity) - Number(outcome[b] ?? -Infinity));
    for (const [i, run] of runs.entries()) {
      const offset = runs.length > 1 ? i / (runs.length - 1) - 0.5 : 0;
      places[run] = (level + 0.5 + spreadShare * offset) / numLevels;
    }
  }
  return places;
}

/** Returns the ends that a range may have: midpoints between neighbouring levels, and one beyond each end. */
function stopsAround(places: readonly number[]): number[] {
  const between = places.slice(1).map((place, i) => (place + (places[i] ?? 0)) / 2);
  return [-0.02, ...between, 1.02];
}

/** Returns the ticks of a numeric axis. Both ends are labelled, because they state the range of the values. */
function numberTicks(
  domain: [number, number],
  scale: "linear" | "log",
  format: (x: number) => string,
): AxisModel["ticks"] {
  const ticks = scale === "log" ? logTicks(...domain) : linearTicks(...domain);
  const inside = labelTicks({ domain, scale, ticks, format }, 260, "y").map(({ value, text }) => {
    return { place: toFraction(value, domain, scale), text };
  });
  const ends = domain.map((value) => ({ place: toFraction(value, domain, scale), text: format(value) }));
  if (domain[0] === domain[1]) return [{ place: 0.5, text: format(domain[0]) }];
  return [...ends, ...inside.filter(({ place }) => place > 0.08 && place < 0.92)];
}
