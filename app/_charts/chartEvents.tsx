"use client";
import { useQuery } from "@tanstack/react-query";
import { createContext, use, useMemo, type ReactNode } from "react";
import { describeFall, nameOutcome, type StabilityFacts } from "#packages/detector";
import { useTrpc } from "../_trpc/client.tsx";
import type { ChartEvent } from "./prepareFlags.ts";
import type { ChartScope } from "./useLiveCharts.ts";

const none: readonly ChartEvent[] = [];
const ChartEventsContext = createContext<readonly ChartEvent[]>(none);

/** Alarms and collapses of the runs on the page, for every chart below. */
export function useChartEvents(): readonly ChartEvent[] {
  return use(ChartEventsContext);
}

type Watched = Exclude<ChartScope, { runIds: string[] }>;

/** Reads the events of the runs on the page. The header's event stream triggers a refetch at a new one. */
export function ChartEventsProvider({ scope, children }: { scope: Watched; children: ReactNode }) {
  const trpc = useTrpc();
  const { data } = useQuery(trpc.stability.events.queryOptions(scope));
  const isOneRun = "runId" in scope;
  const { data: facts } = useQuery(
    trpc.stability.standings.queryOptions(isOneRun ? scope : { sweepIds: [...scope.sweepIds] }),
  );
  const events = useMemo(
    () => [
      ...(data ?? []).map(({ runId, iteration, severity, message }) => ({ runId, iteration, severity, message })),
      ...(facts ?? []).flatMap(toCollapse),
    ],
    [data, facts],
  );
  return <ChartEventsContext value={events.length === 0 ? none : events}>{children}</ChartEventsContext>;
}

function toCollapse({ runId, hindsight }: StabilityFacts & { runId: string }): ChartEvent[] {
  const { iteration, fall } = hindsight;
  if (iteration === null) return [];
  const message = `${nameOutcome(hindsight)}${fall ? `: ${describeFall(fall)}` : ""}`;
  return [{ runId, iteration, severity: "hindsight", message }];
}
