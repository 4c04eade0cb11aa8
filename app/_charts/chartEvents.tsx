"use client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSubscription } from "@trpc/tanstack-react-query";
import { createContext, use, useMemo, type ReactNode } from "react";
import { useTrpc } from "../_trpc/client.tsx";
import type { ChartEvent } from "./prepareFlags.ts";
import type { ChartScope } from "./useLiveCharts.ts";

const none: readonly ChartEvent[] = [];
const ChartEventsContext = createContext<readonly ChartEvent[]>(none);

/** What the detector said of the runs on the page; every chart below draws it. */
export function useChartEvents(): readonly ChartEvent[] {
  return use(ChartEventsContext);
}

/** Reads the events of the runs on the page, and again when there is a new one. */
export function ChartEventsProvider({ scope, children }: { scope: ChartScope; children: ReactNode }) {
  const trpc = useTrpc();
  const queryClient = useQueryClient();
  const { data } = useQuery(trpc.stability.events.queryOptions(scope));
  useSubscription(
    trpc.sweep.onChange.subscriptionOptions(
      {},
      {
        onData: ({ data: news }) => {
          if (news.kind === "collapse") void queryClient.invalidateQueries(trpc.stability.pathFilter());
        },
      },
    ),
  );
  const events = useMemo(
    () => (data ?? []).map(({ runId, iteration, severity, message }) => ({ runId, iteration, severity, message })),
    [data],
  );
  return <ChartEventsContext value={events.length === 0 ? none : events}>{children}</ChartEventsContext>;
}
