"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { SurvivalAnswer } from "#server/api/reports/survival.ts";
import type { Grouping } from "#server/domain/stability/report/grouping.ts";
import { ExportableTable } from "#app/_components/table/ExportableTable.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { EmptyState } from "#app/_ui/EmptyState.tsx";
import { Choice, type Option } from "#app/_ui/Choice.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";
import { SurvivalFigure } from "./SurvivalFigure.tsx";

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

function Survival({ report }: { report: SurvivalAnswer }) {
  const names = report.groups.map(({ group }) => group);
  return (
    <>
      <SurvivalFigure report={report} names={names} />
      <ExportableTable table={report.table} longCsv={report.longCsv} />
    </>
  );
}
