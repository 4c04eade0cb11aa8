import { pages } from "#server/domain/pages.ts";
import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { RunsView } from "./RunsView.tsx";
import { type PageProps, toSearchParams } from "#app/_ui/address.ts";
import { chosenSweeps, filterWithin, usualColumns, viewPart, windowLength } from "./_table/view.ts";

export const metadata: Metadata = { title: "Runs" };

export default async function RunsPage({ searchParams }: PageProps) {
  const { trpc, queryClient, state } = await makePrefetch(pages.runs);
  const query = toSearchParams(await searchParams);
  const { groupBy, ...view } = viewPart.parse(query);
  const filter = filterWithin(view.filter, chosenSweeps.parse(query));
  const fields = await queryClient.fetchQuery(trpc.runTable.fields.queryOptions());
  const columns = view.columns.length > 0 ? view.columns : usualColumns(fields);
  if (groupBy.length === 0) {
    const first = { ...view, filter, columns, offset: 0, limit: windowLength };
    await queryClient.prefetchQuery(trpc.runTable.rows.queryOptions(first));
  }
  return (
    <HydrationBoundary state={state()}>
      <RunsView />
    </HydrationBoundary>
  );
}
