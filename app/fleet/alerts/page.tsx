import { pages } from "#server/domain/pages.ts";
import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { AlertsView } from "./AlertsView.tsx";

export const metadata: Metadata = { title: "Alerts" };

export default async function AlertsPage() {
  const { trpc, queryClient, state } = await makePrefetch(pages.alerts);
  await Promise.all([
    queryClient.fetchQuery(trpc.alerts.channels.queryOptions()),
    queryClient.fetchQuery(trpc.alerts.deliveries.queryOptions()),
  ]);
  return (
    <HydrationBoundary state={state()}>
      <AlertsView />
    </HydrationBoundary>
  );
}
