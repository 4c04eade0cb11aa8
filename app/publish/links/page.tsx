import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { pages } from "#server/domain/pages.ts";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { LinksView } from "./LinksView.tsx";

export const metadata: Metadata = { title: "Shared links" };

export default async function LinksPage() {
  const { trpc, queryClient, state } = await makePrefetch(pages.links);
  const [me] = await Promise.all([
    queryClient.fetchQuery(trpc.people.me.queryOptions()),
    queryClient.fetchQuery(trpc.link.list.queryOptions()),
  ]);
  return (
    <HydrationBoundary state={state()}>
      <LinksView canEnd={me.role !== "viewer"} />
    </HydrationBoundary>
  );
}
