"use client";
import type { ReactNode } from "react";
import { MetricPicker } from "#app/_charts/MetricPicker.tsx";
import { useMetric } from "#app/_charts/useMetric.ts";
import { SweepsHead, SweepsSource } from "#app/_components/sweeps/SweepsHead.tsx";
import { sweepsPart } from "#app/_ui/address.ts";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { describeMetric } from "#trainer/spec/metric.ts";

/** URL parameters of the sweeps; a change drops run, axes and baseline, which belong to the previous sweeps. */
export const studiedPart = sweepsPart(["run", "x", "y", "by", "from"]);

/** Header of a page that analyses the chosen sweeps; figures below it are exported with the sweeps' names. */
export function Studied({ title, sweepIds, children }: { title: string; sweepIds: string[]; children: ReactNode }) {
  return (
    <>
      <SweepsHead title={title} sweepIds={sweepIds} part={studiedPart} />
      <SweepsSource sweepIds={sweepIds}>{children}</SweepsSource>
    </>
  );
}

type OfMetricProps = { sweepIds: string[]; children: (metric: string) => ReactNode };

export function OfMetric({ sweepIds, children }: OfMetricProps) {
  const { metric, choices, setMetric } = useMetric(sweepIds);
  if (metric === undefined) return <Skeleton className="h-96" />;
  return (
    <>
      <div className="mb-4 flex w-64 max-w-full flex-col gap-1">
        <MetricPicker title="Metric" label={describeMetric(metric).title} keys={choices} onPick={setMetric} />
      </div>
      {children(metric)}
    </>
  );
}
