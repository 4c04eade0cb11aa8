"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Fragment, useMemo, useState } from "react";
import { describeMetric } from "#trainer/spec/metric.ts";
import type { CellRow, RunRow } from "#server/db/runs.ts";
import { isOver } from "#server/domain/runStatus.ts";
import { spreadHead, spreadMeaning } from "#server/domain/spread/writeSpread.ts";
import type { Headline } from "#server/api/reports/headline.ts";
import type { StabilityFacts } from "#server/domain/stability/facts.ts";
import { labelColumns } from "#server/domain/sweep/shownLabels.ts";
import { prepareLegend } from "#app/_charts/prepareLegend.ts";
import { useChartSettings } from "#app/_charts/useChartSettings.ts";
import { useLooks } from "#app/_charts/useLooks.ts";
import { toggled } from "#app/_charts/settings.ts";
import type { ChartScope } from "#app/_charts/useLiveCharts.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { ActionsHead, HeadCell, Table } from "#app/_ui/Table.tsx";
import { BaselineChoice } from "./BaselineChoice.tsx";
import { GridRow } from "./GridRow.tsx";
import { prepareRow } from "./prepareRow.ts";
import { SeedList } from "./SeedList.tsx";
import { useRetry } from "./useRetry.ts";

type Props = {
  scope: ChartScope;
  cells: readonly CellRow[];
  runs: readonly RunRow[];
  /** Alarm and outcome by run. */
  facts: ReadonlyMap<string, StabilityFacts>;
  /** Summary of the results; undefined while loading. */
  headline: Headline | undefined;
  /** Runs of other trainers cannot be retried. */
  canRetry: boolean;
};

/** One row per configuration: stability per seed, result, sparkline and time. Details unfold in place. */
export function RunGrid({ scope, cells, runs, facts, headline, canRetry }: Props) {
  const retry = useRetry();
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const areOver = runs.every(({ status }) => isOver(status));
  const courses = useCourses(scope, { metric: headline?.metric, areOver });
  const [settings] = useChartSettings();
  const { looks } = useLooks(scope, settings);
  const legend = useMemo(() => prepareLegend(cells, looks), [cells, looks]);
  const figures = new Map(headline?.cells.map((cell) => [cell.cellId, cell]));
  const highest = highestOf(courses.values());
  const names = cells.map(({ id }, i) => ({ id, name: legend[i]?.label ?? "" }));
  const columns = useMemo(() => labelColumns(cells.map(({ label }) => label)), [cells]);
  const baseline = names.find(({ id }) => id === headline?.baselineId)?.name;
  const sweepId = cells[0]?.sweepId;
  return (
    <>
      {headline && sweepId !== undefined && headline.cells.length > 1 && (
        <BaselineChoice sweepId={sweepId} baselineId={headline.baselineId} pinnedId={headline.pinnedId} cells={names} />
      )}
      <Table caption="Configurations with their runs">
        <GridHead metric={headline?.metric} baseline={baseline} settings={columns?.names ?? []} />
        <tbody>
          {cells.map((cell, i) => {
            const row = prepareRow(cell, { runs, facts });
            const isOpen = opened.has(String(cell.id));
            const name = legend[i]?.label ?? "";
            return (
              <Fragment key={cell.id}>
                <GridRow
                  row={row}
                  name={name}
                  title={columns ? [cell.method, columns.rows[i]?.rest].filter(Boolean).join(" ") : name}
                  settings={columns?.rows[i]?.values ?? []}
                  color={legend[i]?.color ?? ""}
                  figure={figures.get(cell.id)}
                  course={courses.get(cell.id)}
                  highest={highest}
                  isOpen={isOpen}
                  onToggle={() => setOpened(toggled(opened, String(cell.id)))}
                  retry={canRetry ? retry : undefined}
                />
                {isOpen && (
                  <SeedList
                    row={row}
                    name={name}
                    numSettings={columns?.names.length ?? 0}
                    retry={canRetry ? retry : undefined}
                  />
                )}
              </Fragment>
            );
          })}
        </tbody>
      </Table>
    </>
  );
}

type HeadProps = { metric: string | undefined; baseline: string | undefined; settings: readonly string[] };

function GridHead({ metric, baseline, settings }: HeadProps) {
  const title = metric === undefined ? undefined : describeMetric(metric).title;
  return (
    <thead>
      <tr>
        <HeadCell className="w-px">Configuration</HeadCell>
        {settings.map((name) => (
          <HeadCell key={name} className="w-px text-right whitespace-nowrap">
            {name}
          </HeadCell>
        ))}
        <HeadCell className="w-px">Seeds</HeadCell>
        <HeadCell className="w-px text-right">
          <span className="sm:whitespace-nowrap">{title ? `${title}, final` : "Final"}</span>
          <span className="block font-normal" title={spreadMeaning}>
            {spreadHead}
          </span>
          {baseline !== undefined && <span className="block font-normal">and against {baseline}, unpaired</span>}
        </HeadCell>
        <HeadCell className="pl-8 max-md:hidden xl:hidden">Over training</HeadCell>
        <HeadCell className="w-px text-right whitespace-nowrap max-md:hidden xl:hidden">Time a run</HeadCell>
        {/* Positioned; otherwise text for screen readers would widen the page on a phone. */}
        <ActionsHead className="max-sm:px-0" />
      </tr>
    </thead>
  );
}

/** The headline metric over training by configuration, for the sparklines. */
function useCourses(scope: ChartScope, { metric, areOver }: { metric: string | undefined; areOver: boolean }) {
  const trpc = useTrpc();
  const input = {
    scope,
    keys: metric === undefined ? [] : [metric],
    aggregate: "std" as const,
    seeds: false,
    range: null,
  };
  const { data } = useQuery(
    trpc.series.charts.queryOptions(input, {
      enabled: metric !== undefined,
      placeholderData: keepPreviousData,
      refetchInterval: areOver ? false : 20_000,
    }),
  );
  return new Map(data?.charts[0]?.bands.map((band) => [band.cellId, band]));
}

/** A loop, because the points of many configurations exceed the maximum number of call arguments. */
function highestOf(courses: Iterable<{ values: readonly number[] }>): number {
  let highest = 0;
  for (const { values } of courses) for (const value of values) if (value > highest) highest = value;
  return highest;
}
