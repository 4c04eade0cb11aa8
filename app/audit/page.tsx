import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { AuditView } from "./AuditView.tsx";

export const metadata: Metadata = { title: "Changes" };

export default async function AuditPage() {
  const { trpc, queryClient, state } = await makePrefetch("/audit");
  await queryClient.prefetchQuery(trpc.audit.entries.queryOptions({ words: "" }));
  return (
    <HydrationBoundary state={state()}>
      <AuditView />
    </HydrationBoundary>
  );
}
