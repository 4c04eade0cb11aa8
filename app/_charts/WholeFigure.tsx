"use client";
import type { Chart } from "#server/domain/series/chartData.ts";
import { Button } from "../_ui/Button.tsx";
import type { LegendEntry, RunName } from "./names.ts";
import { PaperPlot } from "./Plot.tsx";
import { prepareChart } from "./prepareChart.ts";
import type { ChartSettings } from "./settings.ts";

type Props = {
  charts: readonly Chart[];
  legend: readonly LegendEntry[];
  runs: ReadonlyMap<string, RunName>;
  settings: ChartSettings;
};

/** Takes charts away as one figure, in panels. */
export function WholeFigure({ title, ...drawn }: Props & { title: string }) {
  if (drawn.charts.length === 0) return null;
  const exportAll = async () => (await import("./exportFigure.ts")).exportPanels(<Panels {...drawn} />, title);
  return <Button onClick={() => void exportAll()}>The whole figure as SVG</Button>;
}

/** Charts as a paper wants them, one after another; the last one names the lines of all. */
function Panels({ charts, legend, runs, settings }: Props) {
  return charts.map((chart, i) => (
    <PaperPlot
      key={chart.key}
      model={prepareChart({ chart, legend, runs, settings })}
      legend={i === charts.length - 1 ? legend : []}
    />
  ));
}
