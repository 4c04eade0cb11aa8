import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { makePrefetch, orNotFound } from "#app/_trpc/prefetch.server.ts";
import { SweepBuilder } from "./_builder/SweepBuilder.tsx";

export const metadata: Metadata = { title: "New sweep" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

/** `?from=SWEEP` starts from a sweep that was launched before, `?preset=quick-look` from a preset. */
export default async function NewSweepPage({ searchParams }: Props) {
  const { from, preset } = await searchParams;
  const { trpc, queryClient, state } = await makePrefetch("/sweeps/new");
  const presets = await queryClient.fetchQuery(trpc.sweep.presets.queryOptions());
  await queryClient.prefetchQuery(trpc.system.health.queryOptions());
  const earlier =
    typeof from === "string"
      ? await orNotFound(queryClient.fetchQuery(trpc.sweep.byId.queryOptions({ id: from })))
      : undefined;
  const start = earlier?.plan ?? presets.find(({ id }) => id === preset)?.plan;
  return (
    <HydrationBoundary state={state()}>
      <SweepBuilder start={start} />
    </HydrationBoundary>
  );
}
