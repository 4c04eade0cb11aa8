"use client";
import { QueryCache, QueryClient, QueryClientProvider, MutationCache } from "@tanstack/react-query";
import {
  createTRPCClient,
  httpBatchLink,
  httpLink,
  httpSubscriptionLink,
  retryLink,
  splitLink,
  TRPCClientError,
} from "@trpc/client";
import { createTRPCContext } from "@trpc/tanstack-react-query";
import { useState, type ReactNode } from "react";
import type { AppRouter } from "#server/api/root.ts";
import { isAnalysis } from "#server/domain/analysis/analyses.ts";
import { fromWire, toWire } from "#packages/base";
import { maxBatch } from "./batch.ts";
import { isLeaving } from "./leaving.ts";

export const TrpcContext = createTRPCContext<AppRouter>();

/** Returns tRPC for React Query: `const trpc = useTrpc(); useQuery(trpc.sweep.list.queryOptions())`. */
export const useTrpc = TrpcContext.useTRPC;
/** Returns the plain tRPC client, for manual subscriptions and calls outside React Query. */
export const useTrpcClient = TrpcContext.useTRPCClient;

export function TrpcProvider({ children }: { children: ReactNode }) {
  const [queryClient] = useState(makeQueryClient);
  const [trpcClient] = useState(makeTrpcClient);
  return (
    <QueryClientProvider client={queryClient}>
      <TrpcContext.TRPCProvider queryClient={queryClient} trpcClient={trpcClient}>
        {children}
      </TrpcContext.TRPCProvider>
    </QueryClientProvider>
  );
}

export function makeTrpcClient() {
  const url = "/api/trpc";
  const transformer = { serialize: toWire, deserialize: fromWire };
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: (operation) => operation.type === "subscription",
        true: [
          // A browser reconnects a lost stream, but not one that a proxy refuses (502) while the studio restarts.
          retryLink({ retry: () => true, retryDelayMs: (numAttempts) => Math.min(1000 * numAttempts, 30_000) }),
          httpSubscriptionLink({ url, transformer }),
        ],
        // Analyses are not batched: the batch's other responses would wait, and no single analysis could be aborted.
        false: splitLink({
          condition: ({ type, path }) => type === "query" && isAnalysis(path),
          true: splitLink({
            condition: ({ input }) => isLongInput(input),
            true: httpLink({ url, transformer, methodOverride: "POST" }),
            false: httpLink({ url, transformer }),
          }),
          false: splitLink({
            condition: ({ input }) => isLongInput(input),
            true: httpBatchLink({ url, transformer, maxItems: maxBatch, methodOverride: "POST" }),
            false: httpBatchLink({ url, transformer, maxItems: maxBatch, maxURLLength: maxAddressLength }),
          }),
        }),
      }),
    ],
  });
}

/** Maximum length of a URL that every server and proxy accepts; Node.js refuses headers of more than 16 KiB. */
const maxAddressLength = 6000;

/** Returns true for an input too long for a URL: its query is a POST, and it cannot be streamed. */
export function isLongInput(input: unknown): boolean {
  return encodeURIComponent(JSON.stringify(input) ?? "").length > maxAddressLength - 500;
}

function makeQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: leaveIfSignedOut }),
    mutationCache: new MutationCache({ onError: leaveIfSignedOut }),
    // The server's event streams announce stale data, so prefetched data is not fetched again at once.
    defaultOptions: { queries: { staleTime: 30_000, retry: shouldRetry } },
  });
}

// Returns true for errors that may be temporary (no network, a restarting database), for at most three retries.
function shouldRetry(numFailures: number, error: Error): boolean {
  const status = httpStatus(error);
  return numFailures < 3 && (status === undefined || status >= 500);
}

function leaveIfSignedOut(error: Error): void {
  if (httpStatus(error) !== 401 || isLeaving()) return;
  window.location.assign(`/sign-in?next=${encodeURIComponent(window.location.pathname + window.location.search)}`);
}

function httpStatus(error: Error): number | undefined {
  const data: unknown = error instanceof TRPCClientError ? error.data : undefined;
  if (typeof data !== "object" || data === null || !("httpStatus" in data)) return undefined;
  return Number(data.httpStatus);
}
