"use client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "#app/_ui/Link.tsx";
import { describeMetric } from "#trainer/spec/metric.ts";
import { maxCompared } from "#app/_components/comparePath.ts";
import { ChartControls } from "#app/_charts/ChartControls.tsx";
import { ChartAxisProvider } from "#app/_charts/chartAxis.tsx";
import { ChartReferencesProvider } from "#app/_charts/chartReferences.tsx";
import { ChartRestartsProvider } from "#app/_charts/chartRestarts.tsx";
import { CursorProvider } from "#app/_charts/cursor.tsx";
import { FigureSourceProvider } from "#app/_charts/figureSource.tsx";
import { Legend } from "#app/_charts/Legend.tsx";
import { ChartParts } from "#app/_charts/ChartParts.tsx";
import { MetricPicker } from "#app/_charts/MetricPicker.tsx";
import { useMetric } from "#app/_charts/useMetric.ts";
import { useMetricChart } from "#app/_charts/useMetricChart.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { sweepsPart } from "#app/_ui/address.ts";
import { Busy } from "#app/_ui/Busy.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";
import { FinalTable } from "#app/_components/table/FinalTable.tsx";
import { buttonClasses } from "#app/_ui/Button.tsx";
import { toCompareAddress } from "./_runs/comparedAddress.ts";
import { SmallMultiples } from "./SmallMultiples.tsx";
import { SweepsHead } from "#app/_components/sweeps/SweepsHead.tsx";

const comparedPart = sweepsPart(["hide"]);

/** Compares methods on one metric: overlaid, side by side, and as a table. */
export function CompareView({ sweepIds }: { sweepIds: string[] }) {
  const { metric, ...choice } = useMetric(sweepIds);
  if (metric === undefined) return <Skeleton className="h-96" />;
  return <Comparison sweepIds={sweepIds} metric={metric} {...choice} />;
}

type Props = { sweepIds: string[]; metric: string; choices: string[]; setMetric: (metric: string) => void };

function Comparison({ sweepIds, metric, choices, setMetric }: Props) {
  const trpc = useTrpc();
  const scope = { sweepIds };
  const { data: grid } = useSuspenseQuery(trpc.run.grid.queryOptions(scope));
  const { chart, parts, look, error, isStale } = useMetricChart(scope, metric, grid);
  const { legend, settings, onChange } = look;
  return (
    <FigureSourceProvider names={grid.cells.map(({ sweepName }) => sweepName)}>
      <CursorProvider>
        <ChartRestartsProvider scope={scope} keys={[metric]}>
          <ChartReferencesProvider scope={scope} keys={[metric]}>
            <ChartAxisProvider scope={scope} kind={settings.x}>
              <SweepsHead title="Compare" sweepIds={sweepIds} part={comparedPart} />
              <div className="mb-4 flex flex-wrap items-end gap-3">
                <div className="flex w-64 max-w-full flex-col gap-1">
                  <MetricPicker title="Metric" label={describeMetric(metric).title} keys={choices} onPick={setMetric} />
                </div>
                <ByConfiguration cellIds={grid.cells.map(({ id }) => id)} />
              </div>
              {error !== null && <Notice tone="bad">{errorWords(error)}</Notice>}
              <div className="mb-3 space-y-1.5">
                {/* The chart tells which configurations share an entry. */}
                <div className="min-h-7">
                  {chart && <Legend entries={legend} settings={settings} onChange={onChange} />}
                </div>
                <ChartControls settings={settings} onChange={onChange} />
              </div>
              {chart ? (
                <>
                  <Busy isBusy={isStale}>
                    <ChartParts chart={chart} parts={parts} {...look} height={340} />
                  </Busy>
                  <h2 className="mt-6 mb-2 font-semibold">Final values</h2>
                  <FinalTable sweepIds={sweepIds} metric={metric} />
                  <h2 className="mt-6 mb-2 font-semibold">One chart a method</h2>
                  <Busy isBusy={isStale}>
                    <SmallMultiples chart={chart} parts={parts} {...look} />
                  </Busy>
                </>
              ) : (
                !error && <Skeleton className="h-96" />
              )}
            </ChartAxisProvider>
          </ChartReferencesProvider>
        </ChartRestartsProvider>
      </CursorProvider>
    </FigureSourceProvider>
  );
}

/** The same configurations with their differing settings and their episodes. */
function ByConfiguration({ cellIds }: { cellIds: number[] }) {
  if (cellIds.length > maxCompared) return null;
  return (
    <Link className={buttonClasses()} href={toCompareAddress({ runIds: [], cellIds })}>
      Differences and episodes
    </Link>
  );
}
