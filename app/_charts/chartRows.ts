import { countsEpochs } from "#trainer/spec/event.ts";
import type { CsvRows } from "./exportFigure.ts";
import type { LegendEntry, RunName } from "./names.ts";
import type { DescribedChart } from "./prepareChart.ts";
import type { ChartSettings } from "./settings.ts";

/** What a chart shows as rows: means over seeds (no seed), the seeds where they were asked for, and what was not finite. */
export function chartRows(
  chart: DescribedChart,
  { legend, runs }: { legend: readonly LegendEntry[]; runs: ReadonlyMap<string, RunName> },
  { hidden, seeds }: Pick<ChartSettings, "hidden" | "seeds">,
): CsvRows {
  const shown = new Map(legend.filter(({ id }) => !hidden.has(id)).map(({ cellId, label }) => [cellId, label]));
  const named = (runId: string) => {
    const run = runs.get(runId);
    const label = run && shown.get(run.cellId);
    return run && label !== undefined ? [{ label, seed: run.seed }] : [];
  };
  const means = chart.bands.flatMap(({ cellId, iterations, means: values, stds, counts }) => {
    const label = shown.get(cellId);
    if (label === undefined) return [];
    return iterations.map((iteration, i) => [label, "", iteration, values[i] ?? NaN, stds[i] ?? "", counts[i] ?? ""]);
  });
  const lines = seeds
    ? chart.lines.flatMap(({ runId, iterations, values }) =>
        named(runId).flatMap(({ label, seed }) =>
          iterations.map((iteration, i) => [label, seed, iteration, values[i] ?? NaN, "", ""]),
        ),
      )
    : [];
  const broken = chart.nonFinite.flatMap(({ runId, iteration, kind }) =>
    named(runId).map(({ label, seed }) => [label, seed, iteration, kind, "", ""]),
  );
  return [
    ["line", "seed", countsEpochs(chart.key) ? "epoch" : "iteration", chart.key, "std", "n"],
    ...means,
    ...lines,
    ...broken,
  ];
}
