"use client";

import { median } from "#packages/statistics";
import { runPage } from "#server/domain/pages.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "#app/_ui/Link.tsx";
import { useMemo, useState } from "react";
import type { RunStability } from "#server/domain/analysis/stability/overview.ts";
import { prepareLegend } from "#app/_charts/prepareLegend.ts";
import { Analysing, stoppable } from "#app/_components/Analysing.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { choicePart } from "#app/_ui/address.ts";
import { Card } from "#app/_ui/Card.tsx";
import { classes } from "#app/_ui/classes.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import { StatusPill } from "#app/_ui/StatusPill.tsx";
import { Cell, HeadCell, Table } from "#app/_ui/Table.tsx";
import { EventList, numEventsAtFirst } from "#app/_components/stability/EventList.tsx";
import { AlarmPill, HindsightPill, StatusStrip } from "#app/_components/stability/StatusStrip.tsx";
import { alarmLooks, hindsightLooks, statusLooks } from "#app/_components/stability/statusLooks.ts";
import { formatCount } from "#app/_charts/format.ts";
import {
  type AlarmWord,
  alarmWords,
  type HindsightWord,
  hindsightWords,
  isCollapse,
  type Status,
  statuses,
  writeCollapses,
} from "#packages/detector";

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
  return (
    <div className="space-y-5">
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-sm text-muted">Alarm</span>
        {overview.alarms.map(({ word, count }) => (
          <StatusPill key={word} {...alarmLooks[word]}>
            {count} {word}
          </StatusPill>
        ))}
        <span className="ml-2 text-sm text-muted">In hindsight</span>
        {overview.outcomes.map(({ word, count }) => (
          <StatusPill key={word} {...hindsightLooks[word]}>
            {count} {word}
          </StatusPill>
        ))}
        <span className="ml-auto" />
        <Choice as="buttons" label="Order" options={orders} value={order} onChange={setOrder} />
      </div>
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1 text-sm text-muted">
        <p>{overview.sentence}</p>
        <StripLegend statuses={overview.inStrips} />
      </div>
      {overview.missing.length > 0 && (
        <Notice tone="warn">
          These rules of the detector are off, because the runs did not log the necessary metrics:{" "}
          {overview.missing
            .map(({ title, needs, numRuns }) => `${title} (needs ${needs}; off in ${formatCount(numRuns, "run")})`)
            .join("; ")}
          .
        </Notice>
      )}
      <RunTable overview={overview} legend={legend} />
      <Card title="Events of the detector">
        <EventList events={events.toReversed()} hasRun onAll={() => setLatest({})} />
      </Card>
      <p className="text-xs text-muted">
        Detector <code>{data.detectorVersion}</code>. <b>Alarm</b> is the most severe status so far. Its iteration is
        the first one with the status <i>unstable</i> or a more severe status, or else with a <i>warning</i>.{" "}
        <b>In hindsight</b> is the label of the finished run, from success rate (else judged by reward) and non-finite
        values only. The notch in a strip marks the collapse. <b>Lead time</b> is the number of iterations from the
        first true-positive alarm to the collapse.
      </p>
    </div>
  );
}

type Legend = ReadonlyMap<number, { label: string; color: string }>;

export function RunTable({ overview, legend }: { overview: ReturnType<typeof prepareOverview>; legend: Legend }) {
  const [isAll, setIsAll] = useState(false);
  const rows = isAll ? overview.rows : overview.rows.slice(0, maxRows);
  return (
    <>
      <Table caption="Runs by state">
        <thead>
          <tr className="max-md:block">
            <HeadCell className="max-md:hidden">Run</HeadCell>
            <HeadCell className="max-md:hidden">In hindsight</HeadCell>
            <HeadCell className="max-md:block md:w-2/5">
              Status over iterations 0–{overview.length.toLocaleString("en-US")}
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
      {!isAll && overview.rows.length > maxRows && (
        <button type="button" className="text-accent hover:underline" onClick={() => setIsAll(true)}>
          {maxRows} of {overview.rows.length} runs; show all
        </button>
      )}
    </>
  );
}

type Line = { run: RunStability; length: number; legend: { label: string; color: string } | undefined };

/** Table row of a run. On a narrow screen, only name and outcome are above the strip of detector states. */
function RunLine({ run, length, legend }: Line) {
  const hasLead = run.lead !== null || run.isDetected === false;
  return (
    <tr className="max-md:flex max-md:flex-wrap max-md:items-center max-md:justify-between max-md:border-t max-md:border-line max-md:py-1">
      <Cell className="max-md:border-0 max-md:py-1 md:whitespace-nowrap">
        <span
          aria-hidden="true"
          className="mr-2 inline-block size-2.5 rounded-full"
          style={{ background: legend?.color }}
        />
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
          <span aria-hidden="true" className="h-2 w-3 rounded-sm" style={{ background: statusLooks[status].fill }} />
          {statusLooks[status].title}
        </li>
      ))}
    </ul>
  );
}

type Overview = {
  /** Number of runs per detector alarm and per outcome in hindsight; alarms and outcomes without runs are omitted. */
  alarms: { word: AlarmWord; count: number }[];
  outcomes: { word: HindsightWord; count: number }[];
  /** Detector states that occur in the strips, in order of severity. */
  inStrips: Status[];
  /** Number of iterations of the longest run, which determines the scale of all strips. */
  length: number;
  sentence: string;
  missing: { title: string; needs: string; numRuns: number }[];
  rows: RunStability[];
};

const worstFirst = alarmWords.toReversed();

export function prepareOverview(runs: readonly RunStability[], order: "worst" | "plan"): Overview {
  const count = <Word,>(words: readonly Word[], wordOf: (run: RunStability) => Word) =>
    words
      .map((word) => ({ word, count: runs.filter((run) => wordOf(run) === word).length }))
      .filter((one) => one.count > 0);
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
    alarms: count(worstFirst, ({ alarm }) => alarm.word),
    outcomes: count(hindsightWords, ({ hindsight }) => hindsight.word),
    inStrips: statuses.filter((status) =>
      runs.some(({ changes }) => changes.some((change) => change.status === status)),
    ),
    length: runs.reduce((most, { iteration }) => Math.max(most, iteration), 1),
    sentence: formatLabels(runs),
    missing: [...missing.values()],
    rows: order === "plan" ? [...runs] : runs.toSorted((a, b) => rank(a) - rank(b)),
  };
}

function formatLabels(runs: readonly RunStability[]): string {
  const over = runs.filter(({ label }) => label !== null && label.kind !== "notJudged");
  const collapsed = over.filter(({ label }) => label !== null && isCollapse(label));
  const found = collapsed.filter(({ isDetected }) => isDetected === true);
  const leads = found.flatMap(({ lead }) => (lead === null ? [] : [lead]));
  const numAwaited = runs.filter(({ hindsight }) => hindsight.word === "not judged yet").length;
  const unjudged = runs.length - over.length - numAwaited;
  const rest =
    unjudged > 0 ? ` Not judged: ${formatCount(unjudged, "run")}, too short or without a success metric.` : "";
  if (over.length === 0) return `No run has been judged yet: a run is judged when it ends.${rest}`;
  const numUnclear = over.filter(({ label }) => label?.kind === "ambiguous").length;
  const count = { numJudged: over.length, numCollapsed: collapsed.length, numUnclear };
  const judged = `In hindsight ${writeCollapses(count, "judged run")}.${rest}`;
  if (collapsed.length === 0) return judged;
  const early = leads.length === 0 ? "" : `, in the median ${describeLead(median(leads))}`;
  return `${judged} The detector raised an alarm (unstable or worse) for ${found.length} of ${formatCount(collapsed.length, "collapsed run")}${early}.`;
}

/** Describes an alarm's lead over the collapse in iterations; negative: the alarm came after the collapse. */
export function describeLead(lead: number): string {
  if (lead === 0) return "at the collapse";
  return `${formatCount(Math.abs(lead), "iteration")} ${lead > 0 ? "early" : "late"}`;
}
