import { pages } from "#server/domain/pages.ts";
import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { RunsView } from "./RunsView.tsx";
import { usualColumns, viewPart, windowLength } from "./_table/view.ts";

export const metadata: Metadata = { title: "Runs" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function RunsPage({ searchParams }: Props) {
  const { trpc, queryClient, state } = await makePrefetch(pages.runs);
  const asked = Object.entries(await searchParams).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value]] : [],
  );
  const { groupBy, ...view } = viewPart.parse(new URLSearchParams(asked));
  const fields = await queryClient.fetchQuery(trpc.runTable.fields.queryOptions());
  const columns = view.columns.length > 0 ? view.columns : usualColumns(fields);
  if (groupBy.length === 0) {
    const first = { ...view, columns, offset: 0, limit: windowLength };
    await queryClient.prefetchQuery(trpc.runTable.rows.queryOptions(first));
  }
  return (
    <HydrationBoundary state={state()}>
      <RunsView />
    </HydrationBoundary>
  );
}
