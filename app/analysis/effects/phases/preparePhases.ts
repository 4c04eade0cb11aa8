import type { PhasesAnswer } from "#server/domain/analysis/phases/answer.ts";
import { type PhaseAxis, type PhaseCell, phaseFeatures } from "#server/domain/analysis/phases/axis.ts";
import type { PhaseDiagram } from "#server/domain/analysis/phases/diagram.ts";
import { predictCollapse } from "#server/domain/analysis/phases/firth.ts";
import { dimensionFactors } from "#server/domain/plan/sweep/methods/factorLevels.ts";
import { titleOfLevel } from "#server/domain/plan/sweep/methods/dimensionTexts.ts";
import { formatSetting, lowerFirst } from "#packages/base";
import type { FigureAxis } from "#app/_charts/axes.ts";
import { formatPercent } from "#app/_charts/format.ts";

export type DrawnCell = {
  x: number;
  y: number;
  /** Number of collapsed runs / number of runs with a label in hindsight, for example "2/3". */
  text: string;
  /** Fraction of the runs with a label in hindsight that collapsed. */
  rate: number;
  /** Description in one sentence: settings, collapses with interval, and predicted probability. */
  sentence: string;
  runIds: readonly string[];
};

type Axes = { x: PhaseAxis; y: PhaseAxis };

export function nameOf(axis: PhaseAxis, index: number): string {
  return nameValue(axis, axis.levels[index] ?? "");
}

/** Returns the title of an axis level; levels of the four dimensions have the same titles as in the sweep builder. */
export function nameValue({ key }: Pick<PhaseAxis, "key">, value: string | number): string {
  if (typeof value === "number") return formatSetting(value);
  const dimension = dimensionFactors.find((one) => key === `method.${one}` || key === `method.${one}.kind`);
  return dimension ? titleOfLevel(dimension, value) : (switchWords[value] ?? value);
}

const switchWords: Readonly<Record<string, string>> = { true: "on", false: "off" };

export function toFigureAxis(axis: PhaseAxis): FigureAxis {
  return {
    label: axis.title,
    domain: [-0.5, axis.levels.length - 0.5],
    ticks: [...axis.levels.keys()],
    format: (i) => nameOf(axis, i),
    isNames: true,
  };
}

export function prepareCells(axes: Axes, { cells, fit }: PhaseDiagram, runs: PhasesAnswer["runs"]): DrawnCell[] {
  return cells.map((cell) => {
    const text = `${cell.numCollapsed}/${cell.runs.length}`;
    const { low, high } = cell.interval;
    const where = `${axes.x.title} = ${nameOf(axes.x, cell.x)}, ${lowerFirst(axes.y.title)} = ${nameOf(axes.y, cell.y)}`;
    const predicted = fit && predictCollapse(fit, phaseFeatures(axes, cell.x, cell.y));
    return {
      x: cell.x,
      y: cell.y,
      text,
      rate: rateOf(cell),
      sentence: [
        `${where}: ${cell.numCollapsed} of ${cell.runs.length} collapsed (95 % interval ${formatPercent(low)} to ${formatPercent(high)})`,
        ...(predicted
          ? [
              `the boundary model predicts ${formatPercent(predicted.chance)} (${formatPercent(predicted.low)} to ${formatPercent(predicted.high)})`,
            ]
          : []),
      ].join("; "),
      runIds: cell.runs.flatMap((run) => runs[run]?.id ?? []),
    };
  });
}

export function rateOf({ numCollapsed, runs }: PhaseCell): number {
  return numCollapsed / runs.length;
}

/** Returns the axis position of a value, at a half index between two levels; undefined if it is outside the levels. */
export function positionOf({ levels }: PhaseAxis, value: string | number): number | undefined {
  const at = levels.indexOf(value);
  if (at >= 0) return at;
  const above = levels.findIndex((level) => typeof level === "number" && typeof value === "number" && level > value);
  return above > 0 ? above - 0.5 : undefined;
}

export function toPhaseCsv(axes: Axes, diagram: PhaseDiagram): (string | number)[][] {
  return [
    [axes.x.key, axes.y.key, "runs", "collapsed", "low", "high", "predicted", "predicted_low", "predicted_high"],
    ...diagram.cells.map((cell) => {
      const predicted = diagram.fit && predictCollapse(diagram.fit, phaseFeatures(axes, cell.x, cell.y));
      return [
        axes.x.levels[cell.x] ?? "",
        axes.y.levels[cell.y] ?? "",
        cell.runs.length,
        cell.numCollapsed,
        cell.interval.low,
        cell.interval.high,
        predicted?.chance ?? "",
        predicted?.low ?? "",
        predicted?.high ?? "",
      ];
    }),
  ];
}
