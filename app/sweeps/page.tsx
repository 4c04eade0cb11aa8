import { pages } from "#server/domain/pages.ts";
import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { SweepList } from "./_list/SweepList.tsx";

export const metadata: Metadata = { title: "Sweeps" };

export default async function SweepsPage() {
  const { trpc, queryClient, state } = await makePrefetch(pages.sweeps);
  const sweeps = await queryClient.fetchQuery(trpc.sweep.list.queryOptions());
  if (sweeps.length === 0) await queryClient.prefetchQuery(trpc.sweep.presets.queryOptions());
  return (
    <HydrationBoundary state={state()}>
      <SweepList />
    </HydrationBoundary>
  );
}
