"use client";

import dynamic from "next/dynamic";
import { type ComponentProps, useMemo } from "react";
import { Hint } from "../_ui/Field.tsx";
import { useChartAxis, useChartReferences } from "./chartContext.tsx";
import { useChartEvents } from "./cursor.tsx";
import type { ChartMoves } from "./ChartMenuPanel.tsx";
import { useChartRestarts } from "./chartRestarts.tsx";
import type { ChartPart } from "./chartParts.ts";
import { chartRows } from "./chartRows.ts";
import { useFigureSource } from "./figureSource.tsx";
import { FigureHead, HeadMenu } from "./FigureHead.tsx";
import { LazyMount } from "./LazyDrawing.tsx";
import { roomForNames } from "./lineEnds.ts";
import { Measured } from "./Measured.tsx";
import { PaperPlot, Plot } from "./Plot.tsx";
import { PlotCursor } from "./PlotCursor.tsx";
import type { LegendEntry, RunName } from "./names.ts";
import type { ChartCheckpoint } from "./prepareCheckpoints.ts";
import type { DescribedChart } from "#server/domain/runs/series/chartData.ts";
import { type ChartModel, describeChart, type prepareChart } from "./prepareChart.ts";
import { preparePart } from "./preparePart.ts";
import { projectChart } from "#server/domain/runs/series/projectChart.ts";
import type { ChartSettings } from "./settings.ts";
import { useFullScreen } from "./useFullScreen.ts";

// Dynamic import: the code is loaded when the reader first opens a menu, because most menus are never opened.
const ChartMenuPanel = dynamic(() => import("./ChartMenuPanel.tsx").then((module) => module.ChartMenuPanel), {
  ssr: false,
});

type Props = {
  chart: DescribedChart;
  /** Metric key under which the external trainer logged the values. */
  original?: string | undefined;
  legend: readonly LegendEntry[];
  runs: ReadonlyMap<string, RunName>;
  settings: ChartSettings;
  onChange: (settings: ChartSettings) => void;
  moves?: ChartMoves;
  part?: ChartPart | undefined;
  /** Checkpoints of the run, drawn as marks on the x-axis; undefined for a chart of several runs. */
  checkpoints?: readonly ChartCheckpoint[] | undefined;
  height?: number;
};

const unmoved: ChartMoves = {};

export function MetricChart({ chart, legend, runs, settings, onChange, ...more }: Props) {
  const { original, part, checkpoints, moves = unmoved, height: usual = 220 } = more;
  const axis = useChartAxis();
  const source = useFigureSource();
  const { box, height, ...fullScreen } = useFullScreen(usual);
  const model = useModel({ chart, legend, runs, settings }, { part, checkpoints });
  const menu = (
    <HeadMenu title={model.title}>
      {() => (
        <ChartMenuPanel
          {...{ model, settings, onChange, moves, fullScreen }}
          paper={<PaperPlot model={model} legend={part?.legend ?? legend} source={source} />}
          data={() => chartRows(projectChart(chart, axis), { legend: shownIn(part, legend), runs }, settings)}
        />
      )}
    </HeadMenu>
  );
  return (
    <figure ref={box} aria-label={model.title} className="min-w-0 rounded-lg border border-line bg-surface p-3">
      <FigureHead
        title={model.title}
        hint={<About model={model} original={original} />}
        subtitle={describeChart(model, settings)}
        menu={menu}
      />
      <LazyMount height={height}>
        <Measured height={height}>
          {(width) => (
            <div className="relative">
              <Plot model={model} width={width} height={height} />
              <PlotCursor
                model={model}
                right={roomForNames(model, width)}
                onZoom={(range) => onChange({ ...settings, range })}
              />
            </div>
          )}
        </Measured>
      </LazyMount>
    </figure>
  );
}

function shownIn(part: ChartPart | undefined, legend: readonly LegendEntry[]): readonly LegendEntry[] {
  return part ? part.legend.filter(({ id }) => !part.others.includes(id)) : legend;
}

function useModel(
  { chart, legend, runs, settings }: Parameters<typeof prepareChart>[0],
  { part, checkpoints }: Pick<Props, "part" | "checkpoints">,
) {
  const events = useChartEvents();
  const { restarts, ghosts } = useChartRestarts();
  const references = useChartReferences();
  const axis = useChartAxis();
  return useMemo(() => {
    const context = { events, restarts, ghosts, axis, references, checkpoints };
    return preparePart({ chart, legend, runs, settings }, context, part);
  }, [chart, legend, runs, settings, part, checkpoints, events, restarts, ghosts, references, axis]);
}

function About({ model, original }: { model: ChartModel; original: string | undefined }) {
  return (
    <Hint about={model.title}>
      {model.meaning} <code className="mt-1 block text-xs text-muted">{model.key}</code>
      {original && <code className="block text-xs text-muted">logged as {original}</code>}
      {model.notes.map((note) => (
        <span key={note} className="mt-1 block text-xs text-muted">
          {note}
        </span>
      ))}
    </Hint>
  );
}

type ChartPartsProps = Omit<ComponentProps<typeof MetricChart>, "part"> & { parts: readonly (ChartPart | undefined)[] };

/** Draws one chart of a metric, or one chart per small multiple (for example per environment) side by side. */
export function ChartParts({ parts, ...chart }: ChartPartsProps) {
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(min(26rem,100%),1fr))] gap-3">
      {parts.map((part) => (
        <MetricChart key={part?.name ?? ""} part={part} {...chart} />
      ))}
    </div>
  );
}
