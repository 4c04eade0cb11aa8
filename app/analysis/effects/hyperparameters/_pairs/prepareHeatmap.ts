import { nameLevel } from "#server/domain/analysis/hyperparameters/column.ts";
import { mean } from "#packages/statistics";
import { formatTick } from "#app/_charts/format.ts";
import { formatSetting } from "#packages/base";
import type { StudyColumn } from "#server/domain/analysis/hyperparameters/prepareStudy.ts";

/** Mean outcomes over two hyperparameters; undefined for combinations without runs (no interpolation). */
export type Heatmap = {
  rows: string[];
  columns: string[];
  cells: ({ mean: number; n: number } | undefined)[][];
  low: number;
  high: number;
  isBinned: boolean;
};

type Steps = {
  names: string[];
  /** (N,) row or column index of each run in the heat map; undefined for a run without a value. */
  stepOf: (number | undefined)[];
  isBinned: boolean;
};

const numBins = 6;

export function prepareHeatmap(down: StudyColumn, across: StudyColumn, outcome: StudyColumn): Heatmap {
  const [rows, columns] = [toSteps(down), toSteps(across)];
  const cells = rows.names.map((_, row) =>
    columns.names.map((_, column) => {
      const values = outcome.values.filter(
        (value, run) => typeof value === "number" && rows.stepOf[run] === row && columns.stepOf[run] === column,
      );
      return values.length === 0 ? undefined : { mean: mean(values.map(Number)), n: values.length };
    }),
  );
  const means = cells.flat().flatMap((cell) => (cell ? [cell.mean] : []));
  return {
    rows: rows.names,
    columns: columns.names,
    cells,
    low: Math.min(...means),
    high: Math.max(...means),
    isBinned: rows.isBinned || columns.isBinned,
  };
}

/** Maps each run to a step: one per level, or six bins of equal width, logarithmic on a log scale. */
function toSteps({ values, scale }: StudyColumn): Steps {
  if (scale.kind === "named") {
    const { levels } = scale;
    const stepOf = values.map((value) => levels.indexOf(nameLevel(value)));
    return { names: [...levels], stepOf, isBinned: false };
  }
  const { levels } = scale;
  if (scale.isGrid) {
    const stepOf = values.map((value) => (typeof value === "number" ? levels.indexOf(value) : undefined));
    return { names: levels.map(formatSetting), stepOf, isBinned: false };
  }
  const to = (value: number) => (scale.isLog ? Math.log10(value) : value);
  const back = (value: number) => (scale.isLog ? 10 ** value : value);
  const [low, high] = [to(levels[0] ?? 0), to(levels.at(-1) ?? 1)];
  const edge = (i: number) => formatTick(Number(back(low + ((high - low) * i) / numBins).toPrecision(2)));
  const binOf = (value: number) => Math.min(numBins - 1, Math.floor((numBins * (to(value) - low)) / (high - low)));
  return {
    names: Array.from({ length: numBins }, (_, i) => `${edge(i)} to ${edge(i + 1)}`),
    stepOf: values.map((value) => (typeof value === "number" ? binOf(value) : undefined)),
    isBinned: true,
  };
}
