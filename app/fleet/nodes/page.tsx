import { pages } from "#server/domain/pages.ts";
import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { NodesView } from "./NodesView.tsx";

export const metadata: Metadata = { title: "Nodes" };

export default async function NodesPage() {
  const { trpc, queryClient, state } = await makePrefetch(pages.nodes);
  await queryClient.fetchQuery(trpc.nodes.list.queryOptions());
  return (
    <HydrationBoundary state={state()}>
      <NodesView />
    </HydrationBoundary>
  );
}
