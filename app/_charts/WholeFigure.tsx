"use client";
import type { Chart } from "#server/domain/series/chartData.ts";
import { Button } from "../_ui/Button.tsx";
import { useChartReferences } from "./chartReferences.tsx";
import { useFigureSource } from "./figureSource.tsx";
import type { LegendEntry, RunName } from "./names.ts";
import { PaperPlot } from "./Plot.tsx";
import type { ChartPart } from "./chartParts.ts";
import { preparePart } from "./preparePart.ts";
import type { ChartReference } from "./prepareReferences.ts";
import type { ChartSettings } from "./settings.ts";

type Props = {
  charts: readonly Chart[];
  legend: readonly LegendEntry[];
  runs: ReadonlyMap<string, RunName>;
  settings: ChartSettings;
  /** Each metric has one panel per part. */
  parts: readonly (ChartPart | undefined)[];
};

/** Exports charts as one figure with panels. */
export function WholeFigure({ title, ...drawn }: Props & { title: string }) {
  // The drawing is rendered outside of this page's React tree, so contexts are passed on by hand.
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

/** Charts for a paper, one after another; the last one has the legend for all. */
function Panels({ charts, legend, runs, settings, parts, references, source }: Props & PanelProps) {
  const panels = charts.flatMap((chart) => parts.map((part) => ({ chart, part })));
  return panels.map(({ chart, part }, i) => (
    <PaperPlot
      key={`${chart.key} ${part?.name}`}
      model={preparePart({ chart, legend, runs, settings }, { references }, part)}
      legend={i === panels.length - 1 ? (part?.legend ?? legend) : []}
      source={i === panels.length - 1 ? source : ""}
    />
  ));
}
