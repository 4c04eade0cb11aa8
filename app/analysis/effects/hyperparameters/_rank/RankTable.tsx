"use client";
import { lowerFirst } from "#packages/base";
import { writeCollapses } from "#packages/detector";
import { unitOf } from "#server/domain/runs/table/field.ts";
import { useQuery } from "@tanstack/react-query";
import { type Interval, partsOf } from "#packages/statistics";
import { formatPercent } from "#app/_charts/format.ts";
import { Card } from "#app/_ui/Card.tsx";
import { MethodDot } from "#app/_ui/MethodChip.tsx";
import { classes } from "#app/_ui/classes.ts";
import { keepTogether } from "#app/_ui/keepTogether.ts";
import { Cell, Head, Table } from "#app/_ui/Table.tsx";
import { isYesOrNo, type StudyColumn } from "#server/domain/analysis/hyperparameters/prepareStudy.ts";
import { directionOf, type RankedRow, type RankedTable } from "#server/domain/analysis/hyperparameters/ranks.ts";
import { Analysing, stoppable } from "#app/_components/Analysing.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import type { ImportanceAsked } from "../_study/studyParts.ts";

export function RankTable({ asked, outcome }: { asked: ImportanceAsked; outcome: StudyColumn }) {
  const trpc = useTrpc();
  const query = useQuery(trpc.runTable.importance.queryOptions(asked, stoppable));
  if (!query.data) {
    return (
      <Card title="Rank by configuration">
        <Analysing name="importance" input={asked} query={query} className="h-64" />
      </Card>
    );
  }
  const tables = query.data.ranks;
  const hasRanges = tables.some(({ rows }) => rows.some(({ rankInterval }) => rankInterval));
  const isSure = tables.every(({ rows }) => rows.every(({ rankInterval }) => rankInterval));
  return (
    <Card title="Rank by configuration">
      <div className="space-y-4">
        {tables.map((table) => (
          <RankedConfigurations key={table.environment} table={table} outcome={outcome} />
        ))}
      </div>
      {tables.length === 0 && (
        <p className="text-muted">No data yet: no run has a value of {lowerFirst(outcome.title)}.</p>
      )}
      <p className="mt-2 max-w-4xl text-xs text-muted">
        The {directionOf(outcome.key) === "up" ? "highest" : "lowest"}{" "}
        {isYesOrNo(outcome.key)
          ? "share of runs has rank 1. Shares have Wilson’s 95 % intervals"
          : "mean over runs has rank 1. Means have 95 % CIs"}{" "}
        if a configuration has at least three runs.{" "}
        {hasRanges &&
          `The bar beside a rank is the 95 % bootstrap interval of the rank (2,000 resamples of the runs). This interval is too narrow for configurations with fewer than ten runs${isSure ? "." : ", and missing for configurations with fewer than three."}`}
      </p>
    </Card>
  );
}

type TableProps = { table: RankedTable; outcome: StudyColumn };

function RankedConfigurations({ table: { environment, rows }, outcome }: TableProps) {
  return (
    <section aria-label={environment === "" ? "Ranks" : `Ranks in ${environment}`}>
      {environment !== "" && <h3 className="mb-1 text-sm font-medium">{environment}</h3>}
      <Table
        caption={`Configurations by ${outcome.title}`}
        className={classes(rows.length > 15 && "max-h-128 overflow-y-auto")}
      >
        <Head
          cells={[
            "Rank",
            "Configuration",
            { number: outcome.title },
            { number: "Runs" },
            outcome.key !== "collapsed" && { number: "Collapsed" },
          ]}
        />
        <tbody>
          {rows.map((row) => (
            <RankRow key={row.cellId} row={row} numRows={rows.length} outcome={outcome.key} />
          ))}
        </tbody>
      </Table>
    </section>
  );
}

type RowProps = { row: RankedRow; numRows: number; outcome: string };

function RankRow({ row, numRows, outcome }: RowProps) {
  const isShare = isYesOrNo(outcome);
  const { rank, rankInterval, method, label, mean, interval, n, collapsed } = row;
  const parts = partsOf({ mean, interval: interval ?? null }, unitOf(outcome));
  return (
    <tr>
      <Cell className="py-1.5 text-sm whitespace-nowrap">
        <span className="inline-block w-7 tabular-nums">{rank}</span>
        {rankInterval && <RankBar interval={rankInterval} rank={rank} numRows={numRows} />}
      </Cell>
      <th scope="row" className="border-t border-line px-3 py-1.5 text-left text-sm font-medium">
        <span className="whitespace-nowrap">
          <MethodDot name={method} names={[]} />
          {method}
        </span>{" "}
        <span className="font-normal text-muted">{keepTogether(label)}</span>
      </th>
      <Cell className="py-1.5 text-right text-sm whitespace-nowrap">
        {isShare ? formatPercent(mean) : parts.mean}
        {interval && <span className="text-muted"> {isShare ? formatShares(interval) : parts.interval}</span>}
      </Cell>
      <Cell className="py-1.5 text-right text-sm">{n}</Cell>
      {outcome !== "collapsed" && (
        <Cell className="py-1.5 text-right text-sm whitespace-nowrap">
          {collapsed.numJudged === 0 ? <span className="text-muted">not judged</span> : writeCollapses(collapsed)}
        </Cell>
      )}
    </tr>
  );
}

function formatShares({ low, high }: Interval): string {
  return `(${formatPercent(low)} to ${formatPercent(high)})`;
}

function RankBar({ interval, rank, numRows }: { interval: Interval; rank: number; numRows: number }) {
  const at = (place: number) => (numRows > 1 ? (100 * (place - 1)) / (numRows - 1) : 0);
  return (
    <>
      <span aria-hidden="true" className="relative mx-1.5 inline-block h-2 w-16 rounded-sm bg-sunken align-middle">
        <span
          className="absolute top-0.5 h-1 rounded-sm bg-edge"
          style={{ left: `${at(interval.low)}%`, width: `${at(interval.high) - at(interval.low)}%` }}
        />
        <span className="absolute top-0 h-2 w-1 -translate-x-1/2 bg-text" style={{ left: `${at(rank)}%` }} />
      </span>
      <span className="text-xs text-muted">
        {interval.low}–{interval.high}
      </span>
    </>
  );
}
