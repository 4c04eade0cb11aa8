"use client";
import { useQuery, keepPreviousData, skipToken } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useState } from "react";
import { describeMetric } from "#trainer/spec/metric.ts";
import { MetricPicker } from "#app/_charts/MetricPicker.tsx";
import { useMetric } from "#app/_charts/useMetric.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { optionPart } from "#app/_ui/address.ts";
import { useAddress } from "#app/_ui/useAddress.ts";
import { Busy, Skeleton } from "#app/_ui/Busy.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { LeftOutNote, useDependent } from "../sweeps/LeftOutNote.tsx";
import { TableView } from "./TableView.tsx";

const ExportDialog = dynamic(() => import("./ExportDialog.tsx").then((module) => module.ExportDialog));

const kinds = [
  { value: "beforeAfter", label: "Before and after RL" },
  { value: "final", label: "Final window by environment" },
  { value: "tasks", label: "By type of task" },
] as const;
const kindPart = optionPart("table", kinds, "beforeAfter");

export function FinalTable({ sweepIds }: { sweepIds: string[] }) {
  const trpc = useTrpc();
  const { metric, choices, setMetric } = useMetric(sweepIds);
  const [kind, setKind] = useAddress(kindPart);
  const dependent = useDependent();
  const [isExporting, setIsExporting] = useState(false);
  const { data, error, isPlaceholderData } = useQuery(
    trpc.table.final.queryOptions(metric === undefined ? skipToken : { sweepIds, metric, ...dependent }, {
      placeholderData: keepPreviousData,
    }),
  );
  return (
    <section aria-label="Table of final values">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        {metric !== undefined && (
          <MetricPicker label={describeMetric(metric).title} keys={choices} onPick={setMetric} />
        )}
        <Choice as="buttons" label="Kind of table" options={kinds} value={kind} onChange={setKind} />
        <Button
          kind="primary"
          className="ml-auto"
          disabled={!data || isPlaceholderData}
          onClick={() => setIsExporting(true)}
        >
          <Icon name="download" /> Export
        </Button>
      </div>
      {error && <Notice tone="bad">{errorWords(error)}</Notice>}
      {data ? (
        <Busy isBusy={isPlaceholderData}>
          <LeftOutNote leftOut={data.leftOut} />
          <TableView table={data[kind]} />
        </Busy>
      ) : (
        !error && <Skeleton className="h-40" />
      )}
      {isExporting && data && metric !== undefined && (
        <ExportDialog
          onClose={() => setIsExporting(false)}
          table={data[kind]}
          kind={kind}
          metric={metric}
          longCsv={data.longCsv}
        />
      )}
    </section>
  );
}
