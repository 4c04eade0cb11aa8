import { pages } from "#server/domain/pages.ts";
import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import type { PageProps } from "#app/_ui/address.ts";
import { CostView } from "./CostView.tsx";
import { groupPart, periodPart, toInput } from "./costParts.ts";

export const metadata: Metadata = { title: "Cost" };

export default async function CostPage({ searchParams }: PageProps) {
  const { by, days } = await searchParams;
  const { trpc, queryClient, state } = await makePrefetch(pages.cost);
  const query = new URLSearchParams({ by: String(by), days: String(days) });
  await Promise.all([
    queryClient.fetchQuery(trpc.cost.table.queryOptions(toInput(groupPart.parse(query), periodPart.parse(query)))),
    queryClient.fetchQuery(trpc.cost.budgets.queryOptions()),
    queryClient.fetchQuery(trpc.cost.basis.queryOptions()),
    queryClient.fetchQuery(trpc.nodes.list.queryOptions()),
  ]);
  return (
    <HydrationBoundary state={state()}>
      <CostView />
    </HydrationBoundary>
  );
}
