import { setTimeout } from "node:timers/promises";
import { dehydrate, QueryClient, type DehydratedState } from "@tanstack/react-query";
import { createTRPCOptionsProxy, type TRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { TRPCError } from "@trpc/server";
import { headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import type { Analyst } from "#server/api/analyst/analyst.ts";
import { appRouter, type AppRouter } from "#server/api/root.ts";
import { makeContext } from "./caller.server.ts";

export type Prefetch = {
  trpc: TRPCOptionsProxy<AppRouter>;
  queryClient: QueryClient;
  /** Waits up to `forMs` for an analysis; if it takes longer, the page's own request joins the running computation. */
  waitBriefly: (prefetch: Promise<unknown>, forMs?: number) => Promise<void>;
  /** Returns the state for `<HydrationBoundary state={state()}>`. */
  state: () => DehydratedState;
};

/** Runs a page's queries on the server for the first paint; without a session, redirects to the sign-in page. */
export async function makePrefetch(path: string): Promise<Prefetch> {
  const ctx = await makeContext(await headers());
  if (ctx.caller.kind !== "session") redirect(`/sign-in?next=${encodeURIComponent(path)}`);
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  let isLate = false;
  const ask: Analyst["ask"] = (name, input) => ctx.analyst.askAhead(name, input, () => isLate);
  const analyst = { ...ctx.analyst, ask };
  const trpc = createTRPCOptionsProxy({ ctx: { ...ctx, analyst }, router: appRouter, queryClient });
  return {
    trpc,
    queryClient,
    waitBriefly: async (prefetch, forMs = briefMs) => {
      isLate = false;
      // A query that fails on the server is ignored here: the page repeats it and shows the error.
      const inTime = prefetch.then(() => false).catch(() => false);
      isLate = await Promise.race([inTime, setTimeout(forMs, true)]);
    },
    state: () => dehydrate(queryClient),
  };
}

/** Default waiting time in ms for an analysis; a page shows the progress of analyses that take longer. */
const briefMs = 300;

/** Returns the query's result; shows the not-found page if the query fails with a not-found error. */
export async function orNotFound<Result>(query: Promise<Result>): Promise<Result> {
  try {
    return await query;
  } catch (error) {
    if (error instanceof TRPCError && error.code === "NOT_FOUND") notFound();
    throw error;
  }
}
