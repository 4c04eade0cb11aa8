"use client";

import { groupBy } from "#packages/base";
import { wilsonInterval, writeInterval } from "#packages/statistics";
import { runPage } from "#server/domain/pages.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "#app/_ui/Link.tsx";
import { useMemo, useState } from "react";
import type { RunStability } from "#server/domain/analysis/stability/overview.ts";
import { describeLead, summariseOverview } from "#server/domain/analysis/stability/summariseOverview.ts";
import { prepareLegend } from "#app/_charts/prepareLegend.ts";
import { Analysing, stoppable } from "#app/_components/Analysing.tsx";
import { AnswerSentence } from "#app/_components/AnswerSentence.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { choicePart } from "#app/_ui/address.ts";
import { Card } from "#app/_ui/Card.tsx";
import { ConfigurationDot } from "#app/_ui/MethodChip.tsx";
import { classes } from "#app/_ui/classes.ts";
import { Choice } from "#app/_ui/Choice.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { Cell, HeadCell, RecordTable, Table } from "#app/_ui/Table.tsx";
import { EventList, numEventsAtFirst } from "#app/_components/stability/EventList.tsx";
import { AlarmPill, HindsightPill, opacityOf, StatusStrip } from "#app/_components/stability/StatusStrip.tsx";
import { StateKey } from "#app/_ui/StateKey.tsx";
import { states } from "#app/_ui/states.ts";
import { formatCount, formatPercent } from "#app/_charts/format.ts";
import { alarmWords, type CollapseCount, countLabels, type Status, statuses, writeCollapses } from "#packages/detector";

const orders = [
  { value: "worst", label: "Most severe first" },
  { value: "plan", label: "By configuration" },
] as const;
const orderPart = choicePart("order", ["worst", "plan"], "worst");
const maxRows = 60;

/** Table of runs with detector states, alarm, label in hindsight and lead time; lists metrics that rules lacked. */
export function OverviewView({ sweepIds }: { sweepIds: string[] }) {
  const trpc = useTrpc();
  const query = useQuery(trpc.stability.runs.queryOptions({ sweepIds }, { refetchInterval: 15_000, ...stoppable }));
  const { data, error } = query;
  const [latest, setLatest] = useState<{ latest?: number }>({ latest: numEventsAtFirst });
  const { data: events = [] } = useQuery(
    trpc.stability.events.queryOptions({ sweepIds, ...latest }, { placeholderData: keepPreviousData }),
  );
  const [order, setOrder] = useAddress(orderPart);
  const legend = useMemo(
    () => new Map(prepareLegend(data?.cells ?? []).map((entry) => [entry.cellId, entry])),
    [data?.cells],
  );
  if (!data || error) return <Analysing name="runStability" input={{ sweepIds }} query={query} className="h-96" />;
  const overview = prepareOverview(data.runs, order);
  const counted = data.runs.filter(({ isRepeat }) => !isRepeat);
  return (
    <div className="space-y-5">
      <AnswerSentence text={summariseOverview(counted)} />
      {data.equal.map((sentence) => (
        <Notice key={sentence} tone="warn">
          {sentence}
        </Notice>
      ))}
      <ConfigurationTable runs={counted} legend={legend} />
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 text-muted">
        <StripLegend statuses={overview.inStrips} />
        <Choice as="buttons" label="Order" options={orders} value={order} onChange={setOrder} />
      </div>
      <RunTable overview={overview} legend={legend} />
      <MissingRules missing={overview.missing} />
      <Card title="Events of the detector">
        <EventList events={events.toReversed()} hasRun onAll={() => setLatest({})} />
      </Card>
      <StateKey />
      <details className="text-xs text-muted">
        <summary className="w-fit cursor-pointer">What the columns mean</summary>
        <p className="mt-1 max-w-prose">
          Detector <code>{data.detectorVersion}</code>. <b>Alarm</b> is the most severe status so far. Its iteration is
          the first one with the status <i>unstable</i> or a more severe status, or else with a <i>warning</i>.{" "}
          <b>In hindsight</b> is the label of the finished run, from success rate (else judged by reward) and non-finite
          values only. The notch in a strip marks the collapse. <b>Lead time</b> is the number of iterations from the
          first true-positive alarm to the collapse.
        </p>
      </details>
    </div>
  );
}

type Legend = ReadonlyMap<number, { label: string; color: string; mark?: number }>;

/** Collapses of each configuration with their interval, most first. */
function ConfigurationTable({ runs, legend }: { runs: readonly RunStability[]; legend: Legend }) {
  const rows = joinEqual(countByCell(runs)).map(({ cellIds, count, numAlarms, numRuns }) => ({
    key: cellIds[0] ?? 0,
    cells: [
      <span key="names" className="flex flex-wrap gap-x-4">
        {cellIds.map((cellId) => (
          <span key={cellId} className="whitespace-nowrap">
            <ConfigurationDot color={legend.get(cellId)?.color} mark={legend.get(cellId)?.mark} />
            {legend.get(cellId)?.label}
          </span>
        ))}
      </span>,
      ...[
        `${writeCollapses(count)}${cellIds.length > 1 ? " each" : ""}`,
        writeShare(count),
        `${numAlarms} of ${numRuns}`,
      ].map((text, i) => (
        <span key={i} className="whitespace-nowrap">
          {text}
        </span>
      )),
    ],
  }));
  const columns = [
    "Configuration",
    { number: "Collapsed" },
    { number: "Share [95 % CI]" },
    { number: "Unstable or worse" },
  ];
  return <RecordTable caption="Collapses by configuration" columns={columns} rows={rows} />;
}

/** Joins rows with equal counts, so that many healthy configurations take one row. */
export function joinEqual(rows: ReturnType<typeof countByCell>) {
  const together = groupBy(rows, ({ count, numAlarms, numRuns }) => JSON.stringify([count, numAlarms, numRuns]));
  return [...together.values()].flatMap((own) =>
    own.slice(0, 1).map((first) => ({ ...first, cellIds: own.map(({ cellId }) => cellId) })),
  );
}

/** Counts labels and alarms (unstable or worse) by configuration, in order of the share that collapsed. */
export function countByCell(runs: readonly RunStability[]) {
  const rateOf = ({ numCollapsed, numJudged }: CollapseCount) => (numJudged === 0 ? -1 : numCollapsed / numJudged);
  return [...groupBy(runs, ({ cellId }) => cellId)]
    .map(([cellId, own]) => ({
      cellId,
      count: countLabels(own.map(({ hindsight }) => hindsight.word)),
      numAlarms: own.filter(({ alarm }) => alarm.word === "unstable" || alarm.word === "collapsed").length,
      numRuns: own.length,
    }))
    .toSorted((a, b) => rateOf(b.count) - rateOf(a.count) || b.numAlarms - a.numAlarms);
}

function writeShare({ numCollapsed: k, numJudged: n }: CollapseCount): string {
  if (n === 0) return "not judged";
  return `${formatPercent(k / n).replace(" %", "")} ${writeInterval(wilsonInterval(k, n), { shift: 2, decimals: 0 })} %`;
}

function MissingRules({ missing }: Pick<Overview, "missing">) {
  if (missing.length === 0) return null;
  return (
    <details className="text-sm text-muted">
      <summary className="w-fit cursor-pointer">
        {formatCount(missing.length, "rule")} of the detector {missing.length === 1 ? "is" : "are"} off, because runs do
        not log what they need
      </summary>
      <ul className="mt-1 list-disc pl-5">
        {missing.map(({ title, needs, numRuns }) => (
          <li key={title}>
            {title} (needs {needs}; off in {formatCount(numRuns, "run")})
          </li>
        ))}
      </ul>
    </details>
  );
}

export function RunTable({ overview, legend }: { overview: ReturnType<typeof prepareOverview>; legend: Legend }) {
  const [isAll, setIsAll] = useState(false);
  const loud = overview.rows.filter((run) => !isQuiet(run));
  const rows = isAll ? overview.rows : loud.slice(0, maxRows);
  const numQuiet = overview.rows.length - loud.length;
  const hidden = [
    ...(loud.length > maxRows ? [formatCount(loud.length - maxRows, "more run")] : []),
    ...(numQuiet > 0 ? [`${formatCount(numQuiet, "healthy run")} without an alarm or warning`] : []),
  ].join(" and ");
  return (
    <>
      <Table caption="Runs by state">
        <thead>
          <tr className="max-md:block">
            <HeadCell className="max-md:hidden">Run</HeadCell>
            <HeadCell className="max-md:hidden">In hindsight</HeadCell>
            <HeadCell className="max-md:block md:w-2/5">
              Status by iteration
              <span className="flex min-w-40 justify-between font-normal tabular-nums">
                {[0, Math.round(overview.length / 2), overview.length].map((tick) => (
                  <span key={tick}>{tick.toLocaleString("en-US")}</span>
                ))}
              </span>
            </HeadCell>
            <HeadCell className="max-md:hidden">Alarm</HeadCell>
            <HeadCell className="text-right max-md:hidden">Lead time</HeadCell>
          </tr>
        </thead>
        <tbody>
          {rows.map((run) => (
            <RunLine key={run.runId} run={run} length={overview.length} legend={legend.get(run.cellId)} />
          ))}
        </tbody>
      </Table>
      {!isAll && hidden !== "" && (
        <button type="button" className="text-accent hover:underline" onClick={() => setIsAll(true)}>
          Show {hidden}
        </button>
      )}
    </>
  );
}

/** True for a run that was judged healthy and raised no alarm and no warning. */
function isQuiet({ hindsight, alarm }: RunStability): boolean {
  return hindsight.word === "healthy" && alarm.word === "none";
}

type Line = { run: RunStability; length: number; legend: { label: string; color: string; mark?: number } | undefined };

/** Table row of a run. On a narrow screen, only name and outcome are above the strip of detector states. */
function RunLine({ run, length, legend }: Line) {
  const hasLead = run.lead !== null || run.isDetected === false;
  return (
    <tr className="max-md:flex max-md:flex-wrap max-md:items-center max-md:justify-between max-md:border-t max-md:border-line max-md:py-1">
      <Cell className="max-md:border-0 max-md:py-1 md:whitespace-nowrap">
        <ConfigurationDot color={legend?.color} mark={legend?.mark} />
        <Link href={`${runPage(run.runId)}?tab=stability`} className="hover:underline">
          {legend?.label}, seed {run.seed}
        </Link>
      </Cell>
      <Cell className="max-md:border-0 max-md:py-1">
        <HindsightPill hindsight={run.hindsight} />
      </Cell>
      <Cell className="max-md:w-full max-md:border-0 max-md:py-1">
        <StatusStrip
          changes={run.changes}
          last={run.iteration}
          length={length}
          collapseStep={run.label?.collapseStep ?? undefined}
        />
      </Cell>
      <Cell className="whitespace-nowrap max-md:border-0 max-md:py-1 max-md:text-xs">
        <NarrowTitle>Alarm</NarrowTitle>
        <AlarmPill alarm={run.alarm} />
      </Cell>
      <Cell
        className={classes("max-md:border-0 max-md:py-1 max-md:text-xs md:text-right", !hasLead && "max-md:hidden")}
      >
        <NarrowTitle>Lead time</NarrowTitle>
        {run.lead === null ? (
          <span className="text-muted">{run.isDetected === false ? "missed" : "–"}</span>
        ) : (
          describeLead(run.lead)
        )}
      </Cell>
    </tr>
  );
}

/** Column title beside its value, for narrow screens without a header row. */
function NarrowTitle({ children }: { children: string }) {
  return <span className="text-muted md:hidden">{children} </span>;
}

function StripLegend({ statuses }: { statuses: readonly Status[] }) {
  return (
    <ul aria-label="Colours of the strips" className="flex flex-wrap gap-x-3 text-xs">
      {statuses.map((status) => (
        <li key={status} className="flex items-center gap-1.5">
          <span
            className="h-3 w-4 rounded-sm"
            style={{ background: states[status].color, opacity: opacityOf(status) }}
          />
          {states[status].title}
        </li>
      ))}
    </ul>
  );
}

type Overview = {
  /** Detector states that occur in the strips, in order of severity. */
  inStrips: Status[];
  /** Number of iterations of the longest run, which determines the scale of all strips. */
  length: number;
  missing: { title: string; needs: string; numRuns: number }[];
  rows: RunStability[];
};

const worstFirst = alarmWords.toReversed();

export function prepareOverview(runs: readonly RunStability[], order: "worst" | "plan"): Overview {
  const missing = new Map<string, { title: string; needs: string; numRuns: number }>();
  for (const run of runs) {
    for (const { name, title, needs } of run.missing) {
      const known = missing.get(name) ?? { title, needs, numRuns: 0 };
      missing.set(name, { ...known, numRuns: known.numRuns + 1 });
    }
  }
  // Sorts collapsed runs first, then by the severity of their alarms.
  const rank = ({ alarm, hindsight }: RunStability) =>
    hindsight.word.startsWith("collapsed") ? -1 : worstFirst.indexOf(alarm.word);
  return {
    inStrips: statuses.filter((status) =>
      runs.some(({ changes }) => changes.some((change) => change.status === status)),
    ),
    length: runs.reduce((most, { iteration }) => Math.max(most, iteration), 1),
    missing: [...missing.values()],
    rows: order === "plan" ? [...runs] : runs.toSorted((a, b) => rank(a) - rank(b)),
  };
}
