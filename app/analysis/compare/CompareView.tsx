"use client";

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { type ComponentProps, useMemo, useCallback, useState } from "react";
import { FigureMenu } from "#app/_charts/FigureMenu.tsx";
import { LazyMount } from "#app/_charts/LazyDrawing.tsx";
import { Measured } from "#app/_charts/Measured.tsx";
import { PaperPlot, Plot } from "#app/_charts/Plot.tsx";
import { PlotCursor } from "#app/_charts/PlotCursor.tsx";
import { chartRows } from "#app/_charts/chartRows.ts";
import type { LegendEntry } from "#app/_charts/names.ts";
import { prepareChart } from "#app/_charts/prepareChart.ts";
import { ButtonLink } from "#app/_ui/Link.tsx";
import { sayCollapses } from "#server/domain/analysis/compare/sayCollapses.ts";
import { projectChart } from "#server/domain/runs/series/projectChart.ts";
import { describeMetric } from "#trainer/spec/metric.ts";
import { maxCompared } from "#app/_components/comparePath.ts";
import { ChartControls } from "#app/_charts/ChartControls.tsx";
import { useChartAxis, useChartReferences } from "#app/_charts/chartContext.tsx";
import { ChartProviders } from "#app/_charts/ChartProviders.tsx";
import { useFigureSource } from "#app/_charts/figureSource.tsx";
import { Legend } from "#app/_charts/Legend.tsx";
import { ChartParts, type MetricChart } from "#app/_charts/MetricChart.tsx";
import { MetricPicker } from "#app/_charts/MetricPicker.tsx";
import { useMetric, useMetricChart } from "#app/_charts/useMetric.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { sweepsPart } from "#app/_ui/address.ts";
import { Busy, Skeleton } from "#app/_ui/Busy.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { StateKey } from "#app/_ui/StateKey.tsx";
import { Analysing, keptStoppable } from "#app/_components/Analysing.tsx";
import { LeftOutNote, useDependent } from "#app/_components/sweeps/LeftOutNote.tsx";
import { SeedsNeeded, type Undecided } from "#app/_components/seeds/SeedsNeeded.tsx";
import { ExportableTable } from "#app/_components/table/ExportableTable.tsx";
import { AnswerSentence } from "#app/_components/AnswerSentence.tsx";
import { sortRows } from "#packages/tables";
import { toCompareAddress } from "./_runs/comparedAddress.ts";
import { SweepsHead } from "#app/_components/sweeps/SweepsHead.tsx";

const comparedPart = sweepsPart(["hide"]);

export function CompareView({ sweepIds }: { sweepIds: string[] }) {
  const { metric, ...choice } = useMetric(sweepIds);
  if (metric === undefined) return <Skeleton className="h-96" />;
  return <Comparison sweepIds={sweepIds} metric={metric} {...choice} />;
}

/** Maximum number of runs whose seeds are loaded with the means, before the charts that draw them are near. */
const fewRuns = 20;

type Props = { sweepIds: string[]; metric: string; choices: string[]; setMetric: (metric: string) => void };

function Comparison({ sweepIds, metric, choices, setMetric }: Props) {
  const trpc = useTrpc();
  const scope = { sweepIds };
  const { data: grid } = useSuspenseQuery(trpc.run.grid.queryOptions(scope));
  const [areSeedsDrawn, setAreSeedsDrawn] = useState(grid.runs.length <= fewRuns);
  const drawSeeds = useCallback(() => setAreSeedsDrawn(true), []);
  const { chart, parts, look, error, isStale } = useMetricChart({ scope, metric, areSeedsDrawn }, grid);
  const { legend, settings, onChange } = look;
  const asked = { sweepIds, metric, ...useDependent() };
  const answer = useQuery(trpc.analysis.compare.queryOptions(asked, keptStoppable));
  return (
    <ChartProviders scope={scope} keys={[metric]} cells={grid.cells} x={settings.x}>
      <SweepsHead title="Compare" sweepIds={sweepIds} part={comparedPart} />
      <div className="mb-4 space-y-3">
        {answer.data && <Answer sweepIds={sweepIds} sentence={answer.data.sentence} />}
        {answer.data && <LeftOutNote leftOut={answer.data.leftOut} />}
        <OpenDifferences undecided={answer.data?.undecided ?? []} />
      </div>
      <div className="mb-4 flex flex-wrap items-end gap-3">
        <div className="flex w-64 max-w-full flex-col gap-1">
          <MetricPicker title="Metric" label={describeMetric(metric).title} keys={choices} onPick={setMetric} />
        </div>
        <ByConfiguration cells={grid.cells} />
      </div>
      {error !== null && <Notice tone="bad">{errorWords(error)}</Notice>}
      <div className="mb-3 space-y-1.5">
        <div className="min-h-7">{chart && <Legend entries={legend} settings={settings} onChange={onChange} />}</div>
        <ChartControls settings={settings} onChange={onChange} />
      </div>
      {chart ? (
        <>
          <Busy isBusy={isStale}>
            <ChartParts chart={chart} parts={parts} {...look} height={340} />
          </Busy>
          <h2 className="mt-6 mb-2 font-semibold">Final values</h2>
          {answer.data ? (
            <Busy isBusy={answer.isPlaceholderData}>
              <ExportableTable
                table={sortRows(answer.data.table, "mean", describeMetric(metric).better === "down")}
                longCsv={answer.data.longCsv}
              />
            </Busy>
          ) : (
            <Analysing name="compare" input={asked} query={answer} className="h-40" />
          )}
          <h2 className="mt-6 mb-2 font-semibold">One chart per method</h2>
          <LazyMount height={height} onNear={drawSeeds}>
            <Busy isBusy={isStale}>
              <SmallMultiples chart={chart} parts={parts} {...look} />
            </Busy>
          </LazyMount>
        </>
      ) : (
        !error && <Skeleton className="h-96" />
      )}
    </ChartProviders>
  );
}

/** Ranking, and collapses, which final values do not show. The chart's last points may have another order. */
function Answer({ sweepIds, sentence = "" }: { sweepIds: string[]; sentence: string | undefined }) {
  const { data: sweeps } = useSuspenseQuery(useTrpc().sweep.list.queryOptions());
  const ranking = sentence === "" ? "" : `${sentence} Values are those in the final window.`;
  const collapses = sayCollapses(sweeps.filter(({ id }) => sweepIds.includes(id)));
  return <AnswerSentence text={`${ranking} ${collapses}`.trim()} />;
}

/** Differences from the baseline that are not significant, and the seeds that would decide them. */
function OpenDifferences({ undecided }: { undecided: readonly (Undecided & { sweepIds: string[] })[] }) {
  if (undecided.length === 0) return null;
  return (
    <details className="text-sm">
      <summary className="w-fit cursor-pointer">Seeds that would decide the open differences</summary>
      <div className="mt-2 space-y-2">
        {undecided.map((one) => (
          <SeedsNeeded key={one.names.join()} sweepIds={one.sweepIds} undecided={[one]} />
        ))}
      </div>
    </details>
  );
}

/** Link to the page that compares up to `maxCompared` configurations individually: differing settings and episodes. */
function ByConfiguration({ cells }: { cells: Parameters<typeof toCompareAddress>[0] }) {
  if (cells.length > maxCompared) return null;
  return <ButtonLink href={toCompareAddress(cells)}>Compare settings and episodes</ButtonLink>;
}

type ShownProps = Pick<ComponentProps<typeof MetricChart>, "chart" | "legend" | "runs" | "settings" | "onChange">;
type SmallMultiplesProps = ShownProps & Pick<ComponentProps<typeof ChartParts>, "parts">;

const height = 150;

/** Draws one small chart per line, with its seeds and with shared axes, so that values can be compared by eye. */
function SmallMultiples({ parts, ...shared }: SmallMultiplesProps) {
  return (
    <div className="space-y-3">
      {parts.map((part) => (
        <Multiples key={part?.name ?? ""} part={part} {...shared} />
      ))}
      <StateKey />
    </div>
  );
}

type PartProps = ShownProps & Pick<ComponentProps<typeof MetricChart>, "part">;

function Multiples({ chart, legend: all, runs, settings, onChange, part }: PartProps) {
  const axis = useChartAxis();
  const source = useFigureSource();
  const references = useChartReferences();
  const { shown, models } = useMemo(() => {
    const context = { axis, references, environment: part?.environment, others: new Set(part?.others) };
    const legend = (part?.legend ?? all).filter(({ id }) => !part?.others.includes(id));
    const hideOthers = (entry: LegendEntry) => new Set(all.flatMap(({ id }) => (id === entry.id ? [] : [id])));
    const hidden = new Set([...settings.hidden, ...(part?.others ?? [])]);
    const whole = prepareChart({ chart, legend: all, runs, settings: { ...settings, hidden } }, context);
    const entries = legend.filter((entry) => !settings.hidden.has(entry.id));
    return {
      shown: entries,
      models: entries.map((entry) => {
        const alone = { ...settings, hidden: hideOthers(entry), seeds: true };
        const model = prepareChart({ chart, legend: all, runs, settings: alone }, context);
        return { ...model, key: `${model.key} ${entry.id}`, x: whole.x, y: whole.y };
      }),
    };
  }, [chart, all, runs, settings, axis, references, part]);
  const projected = projectChart(chart, axis);
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(min(17rem,100%),1fr))] gap-3">
      {part && <h3 className="col-span-full font-medium">{part.name}</h3>}
      {models.map((model, i) => (
        <figure key={model.key} className="min-w-0 rounded-lg border border-line bg-surface p-2">
          <figcaption className="flex flex-wrap items-baseline gap-x-2 px-1 text-sm font-medium">
            {shown[i]?.label} <span className="text-xs font-normal text-muted">{model.bandName}</span>
            <span className="ml-auto">
              <FigureMenu
                title={`${model.title}, ${shown[i]?.label ?? ""}`}
                paper={<PaperPlot model={model} legend={shown.slice(i, i + 1)} source={source} />}
                data={() => chartRows(projected, { legend: shown.slice(i, i + 1), runs }, { ...settings, seeds: true })}
              />
            </span>
          </figcaption>
          <LazyMount height={height}>
            <div className="relative">
              <Measured height={height}>{(width) => <Plot model={model} width={width} height={height} />}</Measured>
              <PlotCursor model={model} onZoom={(range) => onChange({ ...settings, range })} />
            </div>
          </LazyMount>
        </figure>
      ))}
    </div>
  );
}
