"use client";
import type { ComponentProps } from "react";
import type { ChartPart } from "./chartParts.ts";
import { MetricChart } from "./MetricChart.tsx";

type Props = Omit<ComponentProps<typeof MetricChart>, "part"> & { parts: readonly (ChartPart | undefined)[] };

/** A chart of one metric, or several side by side: one for each environment. */
export function ChartParts({ parts, ...chart }: Props) {
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(min(26rem,100%),1fr))] gap-3">
      {parts.map((part) => (
        <MetricChart key={part?.name ?? ""} part={part} {...chart} />
      ))}
    </div>
  );
}
