import { nameLevel } from "#server/domain/analysis/hyperparameters/column.ts";
import { wilsonInterval, mean, quantiles } from "#packages/statistics";
import type { FigureAxis } from "#app/_charts/axes.ts";
import { formatTick } from "#app/_charts/format.ts";
import { formatAxis } from "../_study/formatAxis.ts";
import { linearTicks, logTicks } from "#server/domain/runs/series/ticks.ts";
import { formatSetting } from "#packages/base";
import { isYesOrNo, type StudyColumn } from "#server/domain/analysis/hyperparameters/prepareStudy.ts";

/** A column of the run table as an axis of a figure, with the position of each run on the axis. */
export type Positions = {
  axis: FigureAxis;
  /** (N,) position of each run on the axis, in its data units or as a level's index; null for a run without a value. */
  positions: (number | null)[];
  /** True for an axis with levels: runs of a level share a position, so their dots are spread sideways. */
  isStepped: boolean;
};

/** Returns the axis of a column, with one position per level if there are few, and each run's position. */
export function placeColumn({ title, values, scale, field }: StudyColumn): Positions {
  const isStepped = scale.kind === "named" || (scale.isGrid && field.group !== "Metric");
  if (isStepped) {
    const levels: readonly (string | number)[] = scale.levels;
    const names = levels.map((level) => (typeof level === "number" ? formatSetting(level) : level));
    const indexOf = (value: string | number | null) =>
      levels.indexOf(scale.kind === "named" ? nameLevel(value) : (value ?? ""));
    return {
      axis: {
        label: title,
        domain: [-0.5, levels.length - 0.5],
        ticks: [...levels.keys()],
        format: (i) => names[i] ?? "",
        isNames: true,
      },
      positions: values.map((value) => (indexOf(value) < 0 ? null : indexOf(value))),
      isStepped,
    };
  }
  const [low = 0, high = 1] = [scale.levels[0], scale.levels.at(-1)];
  const ticks = scale.isLog ? logTicks(low, high) : linearTicks(low, high);
  return {
    axis: {
      label: title,
      domain: [ticks[0] ?? low, ticks.at(-1) ?? high],
      ticks,
      format: formatAxis(ticks, formatTick),
      scale: scale.isLog ? "log" : "linear",
    },
    positions: values.map((value) => (typeof value === "number" ? value : null)),
    isStepped,
  };
}

/** Outcome between two axis positions: median and quartiles, or a yes-or-no outcome's rate with its interval. */
export type SliceSummary = { from: number; to: number; middle: number; low: number; high: number; n: number };

/** Number of bins, with equally many runs each, into which a column with many values is split. */
const numBins = 5;

/** Summarises the outcome at each value of a column, or in five bins with equally many runs if it has many values. */
export function summariseSlice({ positions, isStepped }: Positions, { key, values }: StudyColumn): SliceSummary[] {
  const runs = [...positions.keys()].filter((run) => positions[run] !== null && typeof values[run] === "number");
  runs.sort((a, b) => (positions[a] ?? 0) - (positions[b] ?? 0));
  const bins = isStepped
    ? [...new Set(runs.map((run) => positions[run]))].map((at) => runs.filter((run) => positions[run] === at))
    : Array.from({ length: numBins }, (_, i) =>
        runs.slice(Math.round((i * runs.length) / numBins), Math.round(((i + 1) * runs.length) / numBins)),
      );
  return bins.flatMap((bin) => {
    const [from, to] = [positions[bin[0] ?? -1] ?? null, positions[bin.at(-1) ?? -1] ?? null];
    if (from === null || to === null) return [];
    const outcomes = bin.map((run) => Number(values[run]));
    return [{ from, to, n: bin.length, ...(isYesOrNo(key) ? summariseShare(outcomes) : summariseMiddle(outcomes)) }];
  });
}

function summariseMiddle(outcomes: readonly number[]) {
  const [low = NaN, middle = NaN, high = NaN] = quantiles(outcomes, [0.25, 0.5, 0.75]);
  return { low, middle, high };
}

function summariseShare(outcomes: readonly number[]) {
  return { middle: mean(outcomes), ...wilsonInterval(outcomes.filter((value) => value === 1).length, outcomes.length) };
}
