"use client";
import { ExportableTable } from "#app/_components/table/ExportableTable.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";
import type { Table } from "#server/domain/tables/table.ts";

type Read = { data: { table: Table; longCsv: string } | undefined; error: unknown };

/** A table under a heading of its own; nothing where it has no row. */
export function TableSection({ id, title, read: { data, error } }: { id: string; title: string; read: Read }) {
  if (error) return <Notice tone="bad">{errorWords(error)}</Notice>;
  if (!data) return <Skeleton className="h-64" />;
  if (data.table.rows.length === 0) return null;
  return (
    <section aria-labelledby={id} className="space-y-3">
      <h2 id={id} className="text-lg font-semibold">
        {title}
      </h2>
      <ExportableTable table={data.table} longCsv={data.longCsv} />
    </section>
  );
}
