import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { pages } from "#server/domain/pages.ts";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { TokensView } from "./TokensView.tsx";

export const metadata: Metadata = { title: "Tokens" };

export default async function TokensPage() {
  const { trpc, queryClient, state } = await makePrefetch(pages.tokens);
  const me = await queryClient.fetchQuery(trpc.people.me.queryOptions());
  await Promise.all([
    queryClient.fetchQuery(trpc.people.tokens.queryOptions()),
    me.role === "administrator" && queryClient.fetchQuery(trpc.people.allTokens.queryOptions()),
  ]);
  return (
    <HydrationBoundary state={state()}>
      <TokensView role={me.role ?? "viewer"} />
    </HydrationBoundary>
  );
}
