"use client";
import type { Chart } from "#server/domain/series/chartData.ts";
import { Button } from "../_ui/Button.tsx";
import { useChartReferences } from "./chartReferences.tsx";
import { useFigureSource } from "./figureSource.tsx";
import type { LegendEntry, RunName } from "./names.ts";
import { PaperPlot } from "./Plot.tsx";
import { prepareChart } from "./prepareChart.ts";
import type { ChartReference } from "./prepareReferences.ts";
import type { ChartSettings } from "./settings.ts";

type Props = {
  charts: readonly Chart[];
  legend: readonly LegendEntry[];
  runs: ReadonlyMap<string, RunName>;
  settings: ChartSettings;
};

/** Takes charts away as one figure, in panels. */
export function WholeFigure({ title, ...drawn }: Props & { title: string }) {
  // The drawing is made outside of this page's tree, where no context reaches it.
  const references = useChartReferences();
  const source = useFigureSource();
  if (drawn.charts.length === 0) return null;
  const exportAll = async () => {
    const { exportPanels } = await import("./exportFigure.ts");
    await exportPanels(<Panels {...drawn} references={references} source={source} />, [source, title].join(" "));
  };
  return <Button onClick={() => void exportAll()}>The whole figure as SVG</Button>;
}

type PanelProps = { references: readonly ChartReference[]; source: string };

/** Charts as a paper wants them, one after another; the last one names the lines of all. */
function Panels({ charts, legend, runs, settings, references, source }: Props & PanelProps) {
  return charts.map((chart, i) => (
    <PaperPlot
      key={chart.key}
      model={prepareChart({ chart, legend, runs, settings }, { references })}
      legend={i === charts.length - 1 ? legend : []}
      source={i === charts.length - 1 ? source : ""}
    />
  ));
}
