import { pages } from "#server/domain/pages.ts";
import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { ChangesView } from "./ChangesView.tsx";

export const metadata: Metadata = { title: "Changes" };

export default async function ChangesPage() {
  const { trpc, queryClient, state } = await makePrefetch(pages.changes);
  await queryClient.prefetchQuery(trpc.changes.list.queryOptions({ words: "" }));
  return (
    <HydrationBoundary state={state()}>
      <ChangesView />
    </HydrationBoundary>
  );
}
