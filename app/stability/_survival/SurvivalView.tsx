"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Grouping } from "#server/api/reports/studyRuns.ts";
import type { SurvivalGroup, SurvivalReport } from "#server/domain/stability/report/survival.ts";
import { explainEvidence } from "#server/domain/statistics/evidence.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { EmptyState } from "#app/_ui/EmptyState.tsx";
import { Choice, type Option } from "#app/_ui/Choice.tsx";
import { MethodDot } from "#app/_ui/MethodDot.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";
import { Cell, HeadCell, Table } from "#app/_ui/Table.tsx";
import { SurvivalFigure } from "./SurvivalFigure.tsx";
import { formatLogRank, untestable, whyUntestable } from "./formatLogRank.ts";
import { formatCount, formatPercent } from "#app/_charts/format.ts";

const groupings: readonly Option<Grouping>[] = [
  { value: "method", label: "Method" },
  { value: "configuration", label: "Configuration" },
  { value: "environment", label: "Environment" },
  { value: "aggregation", label: "Loss aggregation" },
  { value: "clipping", label: "Clipping" },
  { value: "advantage", label: "Advantage" },
  { value: "sampling", label: "Sampling" },
];

/** How long runs last without collapsing, by method or by level of a dimension. */
export function SurvivalView({ sweepIds }: { sweepIds: string[] }) {
  const trpc = useTrpc();
  const [by, setBy] = useState<Grouping>("method");
  const [baseline, setBaseline] = useState<string>();
  const input = { sweepIds, by, ...(baseline !== undefined && { baseline }) };
  const { data, error } = useQuery(trpc.stability.survival.queryOptions(input, { placeholderData: keepPreviousData }));
  if (error) return <Notice tone="bad">{errorWords(error)}</Notice>;
  if (!data) return <Skeleton className="h-96" />;
  return (
    <div className="space-y-5">
      <div className="flex flex-wrap gap-4">
        <Choice
          label="Groups"
          labelled="above"
          options={groupings}
          value={by}
          onChange={(next) => {
            setBy(next);
            setBaseline(undefined);
          }}
        />
        <Choice
          label="Compared with"
          labelled="above"
          options={data.groups.map(({ group }) => ({ value: group, label: group }))}
          value={data.baseline ?? ""}
          onChange={setBaseline}
        />
      </div>
      {data.groups.length === 0 ? (
        <EmptyState title="No labelled run yet">A label needs logged success rates or rewards.</EmptyState>
      ) : (
        <Survival report={data} />
      )}
    </div>
  );
}

function Survival({ report }: { report: SurvivalReport }) {
  const names = report.groups.map(({ group }) => group);
  const baseline = report.groups.find(({ group }) => group === report.baseline);
  const tests = report.groups.map((group) => formatLogRank(group, baseline));
  return (
    <>
      <SurvivalFigure report={report} names={names} />
      <Table caption="Time to collapse by group">
        <thead>
          <tr>
            <HeadCell>Group</HeadCell>
            <HeadCell className="text-right">Collapsed</HeadCell>
            <HeadCell className="text-right">Rate, 95 % (Wilson)</HeadCell>
            <HeadCell className="text-right">Median time</HeadCell>
            <HeadCell className="text-right">Mean up to {report.horizon.toLocaleString("en-US")}</HeadCell>
            <HeadCell className="text-right">Log-rank p (Holm)</HeadCell>
            <HeadCell className="text-right">Slot hours, behind a collapse</HeadCell>
          </tr>
        </thead>
        <tbody>
          {report.groups.map((group, i) => (
            <GroupLine key={group.group} group={group} names={names} test={tests[i] ?? ""} />
          ))}
        </tbody>
      </Table>
      <p className="max-w-prose text-xs text-muted">
        Collapses are labelled in hindsight; runs without one are censored at their last iteration. Log-rank against{" "}
        {report.baseline}, Holm over {formatCount(Math.max(0, report.groups.length - 1), "other group")}. No stars below
        five runs a group: {explainEvidence(Math.min(...report.groups.map(({ numRuns }) => numRuns)))}.
        {tests.includes(untestable) && ` ${whyUntestable}`}
      </p>
    </>
  );
}

function GroupLine({ group, names, test }: { group: SurvivalGroup; names: readonly string[]; test: string }) {
  const { numRuns, numCollapsed, rateInterval, restrictedMean } = group;
  return (
    <tr>
      <Cell className="whitespace-nowrap">
        <MethodDot name={group.group} names={names} />
        {group.group}
      </Cell>
      <Cell className="text-right">
        {numCollapsed}/{numRuns}
      </Cell>
      <Cell className="text-right whitespace-nowrap">
        {formatPercent(group.rate)} ({formatPercent(rateInterval.low)}–{formatPercent(rateInterval.high)})
      </Cell>
      <Cell className="text-right">{group.median?.toLocaleString("en-US") ?? "not reached"}</Cell>
      <Cell className="text-right whitespace-nowrap">
        {restrictedMean.value.toFixed(1)}
        {restrictedMean.standardError > 0 && ` ± ${restrictedMean.standardError.toFixed(1)}`}
      </Cell>
      <Cell className="text-right">{test}</Cell>
      <Cell className="text-right whitespace-nowrap">
        {group.hours.toFixed(2)}, {group.wastedHours.toFixed(2)}
      </Cell>
    </tr>
  );
}
