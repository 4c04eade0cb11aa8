import type { CsvRows } from "./paperSize.ts";
import type { LegendEntry, RunName } from "./names.ts";
import { overWords } from "#server/domain/runs/series/seedSummary.ts";
import { type ChartSettings, overOf } from "./settings.ts";
import type { Projected } from "#server/domain/runs/series/projectChart.ts";

/** Returns a chart's values as CSV rows: means without a seed, then shown seeds, then non-finite values. */
export function chartRows(
  { chart, axis }: Pick<Projected, "chart" | "axis">,
  { legend, runs }: { legend: readonly LegendEntry[]; runs: ReadonlyMap<string, RunName> },
  settings: Pick<ChartSettings, "hidden" | "seeds" | "over">,
): CsvRows {
  const { label: band } = overWords[overOf(settings)];
  const shown = new Map(
    legend.filter(({ id }) => !settings.hidden.has(id)).map(({ cellId, label }) => [cellId, label]),
  );
  const named = (runId: string) => {
    const run = runs.get(runId);
    const label = run && shown.get(run.cellId);
    return run && label !== undefined ? [{ label, seed: run.seed }] : [];
  };
  const means = chart.bands.flatMap(({ cellId, iterations, values, lows, highs, counts, measured }) => {
    const label = shown.get(cellId);
    if (label === undefined) return [];
    return iterations.map((iteration, i) => {
      const n = [counts[i] ?? "", measured[i] ?? ""];
      return [label, "", iteration, values[i] ?? NaN, lows[i] ?? "", highs[i] ?? "", ...n, band];
    });
  });
  const lines = settings.seeds
    ? chart.lines.flatMap(({ runId, iterations, values }) =>
        named(runId).flatMap(({ label, seed }) =>
          iterations.map((iteration, i) => [label, seed, iteration, values[i] ?? NaN, "", "", "", "", ""]),
        ),
      )
    : [];
  const broken = chart.nonFinite.flatMap(({ runId, iteration, kind }) =>
    named(runId).map(({ label, seed }) => [label, seed, iteration, kind, "", "", "", "", ""]),
  );
  const head = ["line", "seed", axis.toLowerCase(), chart.key, "low", "high", "n", "measured", "band"];
  return [head, ...means, ...lines, ...broken];
}
