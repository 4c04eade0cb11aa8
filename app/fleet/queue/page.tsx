import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { pages } from "#server/domain/pages.ts";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { QueueView } from "./QueueView.tsx";

export const metadata: Metadata = { title: "Queue" };

export default async function QueuePage() {
  const { trpc, queryClient, state } = await makePrefetch(pages.queue);
  await queryClient.fetchQuery(trpc.queue.list.queryOptions());
  return (
    <HydrationBoundary state={state()}>
      <QueueView />
    </HydrationBoundary>
  );
}
