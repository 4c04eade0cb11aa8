import { reportPage } from "#server/domain/pages.ts";
import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { makePrefetch, orNotFound } from "#app/_trpc/prefetch.server.ts";
import { ReportView } from "./ReportView.tsx";

type Props = { params: Promise<{ reportId: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { reportId: id } = await params;
  const { trpc, queryClient } = await makePrefetch(reportPage(id));
  return { title: (await orNotFound(queryClient.fetchQuery(trpc.report.byId.queryOptions({ id })))).title };
}

export default async function ReportPage({ params }: Props) {
  const { reportId: id } = await params;
  const { trpc, queryClient, state, waitBriefly } = await makePrefetch(reportPage(id));
  await Promise.all([
    orNotFound(queryClient.fetchQuery(trpc.report.byId.queryOptions({ id }))),
    waitBriefly(queryClient.prefetchQuery(trpc.report.shown.queryOptions({ id }))),
  ]);
  return (
    <HydrationBoundary state={state()}>
      <ReportView id={id} />
    </HydrationBoundary>
  );
}
