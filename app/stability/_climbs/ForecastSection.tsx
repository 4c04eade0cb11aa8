"use client";
import { useQuery } from "@tanstack/react-query";
import { ExportableTable } from "#app/_components/table/ExportableTable.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";

/** How well the effective share of rows foretells a collapse; nothing where no sampler lags or is rounded. */
export function ForecastSection({ sweepIds }: { sweepIds: string[] }) {
  const trpc = useTrpc();
  const { data, error } = useQuery(trpc.stability.forecast.queryOptions({ sweepIds }));
  if (error) return <Notice tone="bad">{errorWords(error)}</Notice>;
  if (!data) return <Skeleton className="h-64" />;
  if (data.table.rows.length === 0) return null;
  return (
    <section aria-labelledby="forecast" className="space-y-3">
      <h2 id="forecast" className="text-lg font-semibold">
        What foretells a collapse
      </h2>
      <ExportableTable table={data.table} longCsv={data.longCsv} />
    </section>
  );
}
