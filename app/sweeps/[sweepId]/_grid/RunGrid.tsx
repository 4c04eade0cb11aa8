import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Fragment, useMemo, useState } from "react";
import { formatDuration } from "#app/_charts/format.ts";
import { Icon } from "#app/_ui/Icon.tsx";
import { Link } from "#app/_ui/Link.tsx";
import { classes } from "#app/_ui/classes.ts";
import { runPage } from "#server/domain/pages.ts";
import { describeMetric } from "#trainer/spec/metric.ts";
import type { CellRow, RunRow } from "#server/db/runs/runs.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import { spreadHead, spreadMeaning } from "#packages/statistics";
import type { Headline } from "#server/api/runs/headline.ts";
import type { StabilityFacts } from "#packages/detector";
import { labelColumns } from "#server/domain/plan/sweep/labels/labels.ts";
import { prepareLegend } from "#app/_charts/prepareLegend.ts";
import { useChartSettings, useLooks } from "#app/_charts/useLooks.ts";
import { toggled } from "#app/_charts/settings.ts";
import type { ChartScope } from "#app/_charts/useLiveCharts.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { type Sort, sortByTitle, SortHead } from "#app/_ui/sorting.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import { ActionsHead, Cell, HeadCell, Table } from "#app/_ui/Table.tsx";
import { GridRow, RetryButton, useRetry } from "./GridRow.tsx";
import { type Line, prepareRow, type Row, type SeedMark } from "./prepareRow.ts";
import { StateKey } from "#app/_ui/StateKey.tsx";
import { textTones } from "#app/_ui/StatusPill.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { baselinePart } from "#app/_ui/baseline.ts";
import { ChoiceBeside } from "#app/_ui/Choice.tsx";

type Props = {
  scope: ChartScope;
  /** Shown configurations, in the order of their rows. */
  cells: readonly CellRow[];
  runs: readonly RunRow[];
  /** Detector's alarm and outcome in hindsight of each run, by run id. */
  facts: ReadonlyMap<string, StabilityFacts>;
  headline: Headline | undefined;
  /** False for sweeps of external trainers' runs, which cannot be retried. */
  canRetry: boolean;
};

export function RunGrid({ scope, cells, runs, facts, headline, canRetry }: Props) {
  const retry = useRetry();
  const areOver = runs.every(({ status }) => isOver(status));
  const courses = useCourses(scope, { metric: headline?.metric, areOver });
  const [chartSettings] = useChartSettings();
  const { looks } = useLooks(scope, chartSettings);
  const legend = useMemo(() => prepareLegend(cells, looks), [cells, looks]);
  const figures = new Map(headline?.cells.map((cell) => [cell.cellId, cell]));
  const names = cells.map(({ id }, i) => ({ id, name: legend[i]?.label ?? "" }));
  const columns = useMemo(() => labelColumns(cells.map(({ label }) => label)), [cells]);
  const baseline = names.find(({ id }) => id === headline?.baselineId)?.name;
  const sweepId = cells[0]?.sweepId;
  const [sort, setSort] = useAddress(sortByTitle);
  const lines = cells.map((cell, i): Line => {
    const name = legend[i]?.label ?? "";
    return {
      row: prepareRow(cell, { runs, facts }),
      name,
      title: columns ? [cell.method, columns.rows[i]?.rest].filter(Boolean).join(" ") : name,
      settings: columns?.rows[i]?.values ?? [],
      color: legend[i]?.color ?? "",
      mark: legend[i]?.mark,
      figure: figures.get(cell.id),
    };
  });
  const settings = columns?.names ?? [];
  return (
    <>
      {/* Shown before the first results, so that nothing moves when they arrive. */}
      {sweepId !== undefined && cells.length > 1 && (
        <BaselineChoice
          sweepId={sweepId}
          baselineId={headline?.baselineId ?? null}
          pinnedId={headline?.pinnedId ?? null}
          cells={names}
        />
      )}
      <Table caption="Configurations with their runs">
        <GridHead metric={headline?.metric} {...{ areOver, baseline, settings, sort }} onSort={setSort} />
        <GridBody lines={lines} courses={courses} retry={canRetry ? retry : undefined} />
      </Table>
      <StateKey />
    </>
  );
}

type BodyProps = {
  lines: readonly Line[];
  courses: ReturnType<typeof useCourses>;
  retry: ReturnType<typeof useRetry> | undefined;
};

function GridBody({ lines, courses, retry }: BodyProps) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const highest = highestOf(courses.values());
  return (
    <tbody>
      {lines.map((line) => {
        const { row, name, settings } = line;
        const { id } = row.cell;
        const isOpen = opened.has(String(id));
        return (
          <Fragment key={id}>
            <GridRow
              {...line}
              course={courses.get(id)}
              highest={highest}
              isOpen={isOpen}
              onToggle={() => setOpened(toggled(opened, String(id)))}
              retry={retry}
            />
            {isOpen && <SeedList row={row} name={name} numSettings={settings.length} retry={retry} />}
          </Fragment>
        );
      })}
    </tbody>
  );
}

type HeadProps = {
  metric: string | undefined;
  /** False while runs go on: their last values are not final. */
  areOver: boolean;
  baseline: string | undefined;
  settings: readonly string[];
  sort: Sort<string>;
  onSort: (sort: Sort<string>) => void;
};

function GridHead({ metric, areOver, baseline, settings, ...sorting }: HeadProps) {
  const title = metric === undefined ? undefined : describeMetric(metric).title;
  const when = areOver ? "final" : "so far";
  return (
    <thead>
      <tr>
        <SortHead by="name" {...sorting} className="w-px">
          Configuration
        </SortHead>
        <SortHead by="final" {...sorting} isDescendingFirst className="w-px text-right">
          <span className="sm:whitespace-nowrap">{title ? `${title}, ${when}` : when}</span>
          <span className="block font-normal" title={spreadMeaning}>
            {spreadHead}
          </span>
          {baseline !== undefined && <span className="block font-normal">and difference from {baseline}</span>}
        </SortHead>
        <SortHead
          by="collapsed"
          {...sorting}
          isDescendingFirst
          className="w-px"
          title="Sorts by the number of collapsed seeds"
        >
          Seeds
        </SortHead>
        {settings.map((name) => (
          <SortHead key={name} by={name} {...sorting} className="w-px text-right whitespace-nowrap">
            {name}
          </SortHead>
        ))}
        <HeadCell className="pl-8 max-md:hidden xl:hidden">Course over training</HeadCell>
        <SortHead by="time" {...sorting} className="w-px text-right whitespace-nowrap max-md:hidden xl:hidden">
          Time per run
        </SortHead>
        {/* `relative` keeps visually hidden text inside the table; otherwise the page would be wider than a phone. */}
        <ActionsHead className="max-sm:px-0" />
      </tr>
    </thead>
  );
}

function useCourses(scope: ChartScope, { metric, areOver }: { metric: string | undefined; areOver: boolean }) {
  const trpc = useTrpc();
  const input = {
    scope,
    keys: metric === undefined ? [] : [metric],
    aggregate: "interval" as const,
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

/** Returns the highest value, at least 0, by a loop: values may exceed the maximum number of call arguments. */
function highestOf(courses: Iterable<{ values: readonly number[] }>): number {
  let highest = 0;
  for (const { values } of courses) for (const value of values) if (value > highest) highest = value;
  return highest;
}

type BaselineChoiceProps = {
  sweepId: string;
  baselineId: number | null;
  /** Id of the configuration that is pinned as baseline for all readers; null if none is pinned. */
  pinnedId: number | null;
  cells: readonly { id: number; name: string }[];
};

/** Menu that chooses the baseline with which the rows are compared, either for this reader or pinned for everybody. */
function BaselineChoice({ sweepId, baselineId, pinnedId, cells }: BaselineChoiceProps) {
  const trpc = useTrpc();
  const [, setBaseline] = useAddress(baselinePart);
  const pin = useAction(trpc.sweep.pinBaseline.mutationOptions(), {
    toast: "Baseline pinned for everybody",
    stale: [trpc.sweep.headline.queryFilter({ id: sweepId }), trpc.series.references.queryFilter()],
  });
  const options = [{ value: "", label: "none" }, ...cells.map(({ id, name }) => ({ value: String(id), label: name }))];
  const choose = (text: string) => {
    const cellId = text === "" ? null : Number(text);
    setBaseline(cellId === pinnedId ? undefined : cellId);
  };
  return (
    <div className="mb-2 flex items-center justify-end gap-2 text-sm text-muted">
      <ChoiceBeside
        label="Baseline"
        options={options}
        value={baselineId === null ? "" : String(baselineId)}
        onChange={choose}
      />
      {baselineId !== pinnedId && (
        <ActionButton
          kind="quiet"
          disabled={pin.isPending}
          title="Shows differences from this baseline to everybody who opens the sweep"
          onClick={() => pin.mutate({ id: sweepId, cellId: baselineId })}
        >
          Pin
        </ActionButton>
      )}
    </div>
  );
}

type SeedListProps = {
  row: Row;
  name: string;
  numSettings: number;
  retry: ReturnType<typeof useRetry> | undefined;
};

function SeedList({ row, name, numSettings, retry }: SeedListProps) {
  return (
    <tr>
      <Cell colSpan={6 + numSettings} className="border-t-0 bg-sunken/40 py-1 pl-8">
        <ul aria-label={`Runs of ${name}`}>
          {row.seeds.map((seed) => (
            <li key={seed.run.id} className="flex flex-wrap items-center gap-x-4 py-0.5 text-sm">
              <Link href={runPage(seed.run.id)} className="w-16 font-medium text-accent hover:underline">
                Seed {seed.run.seed}
              </Link>
              <SeedState seed={seed} />
              {retry && row.gone.includes(seed.run) && (
                <RetryButton label={`Retry seed ${seed.run.seed} of ${name}`} runs={[seed.run]} retry={retry} />
              )}
            </li>
          ))}
        </ul>
      </Cell>
    </tr>
  );
}

function SeedState({ seed }: { seed: SeedMark }) {
  const { run, icon, tone, progress, share, word, alarm, explanation } = seed;
  const ms = run.startedAt && run.endedAt && run.endedAt.getTime() - run.startedAt.getTime();
  return (
    <>
      <span className={classes("flex min-w-40 items-center gap-1.5", textTones[tone])} title={explanation}>
        <Icon name={icon} className="size-3.5" />
        {word}
      </span>
      {alarm !== "" && <span className="text-muted">Alarm: {alarm}</span>}
      <span className="flex items-center gap-2 text-muted">
        <span aria-hidden="true" className="block h-1 w-32 overflow-hidden rounded-full bg-line">
          <span className="block h-full bg-edge" style={{ width: `${100 * share}%` }} />
        </span>
        {progress}
        {run.numAttempts > 1 && `, attempt ${run.numAttempts}`}
        {ms ? `, ${formatDuration(ms)}` : ""}
      </span>
    </>
  );
}
