import { pages } from "#server/domain/pages.ts";
import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { ReportList } from "./ReportList.tsx";

export const metadata: Metadata = { title: "Reports" };

export default async function ReportsPage() {
  const { trpc, queryClient, state } = await makePrefetch(pages.reports);
  await queryClient.prefetchQuery(trpc.report.list.queryOptions());
  return (
    <HydrationBoundary state={state()}>
      <ReportList />
    </HydrationBoundary>
  );
}
