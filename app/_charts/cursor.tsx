"use client";

import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, use, useMemo, useState, useSyncExternalStore } from "react";
import { describeFall, nameOutcome, type StabilityFacts } from "#packages/detector";
import type { ExternalChange } from "#server/db/analysis/externalChanges.ts";
import { useTrpc } from "../_trpc/client.tsx";
import { LiftedLineProvider } from "./liftedLine.tsx";
import type { XAxisName } from "./names.ts";
import type { ChartEvent } from "./prepareFlags.ts";
import type { ChartScope } from "./useLiveCharts.ts";

const none: readonly ChartEvent[] = [];
const ChartEventsContext = createContext<readonly ChartEvent[]>(none);

/** Returns the alarms, collapses and data changes of the runs on the page, which every chart marks. */
export function useChartEvents(): readonly ChartEvent[] {
  return use(ChartEventsContext);
}

type Watched = Exclude<ChartScope, { runIds: string[] }>;

/**
 * Provides the events of the runs on the page to the charts below. A new event arrives on the event stream of the
 * page's header and triggers a refetch.
 */
export function ChartEventsProvider({ scope, children }: { scope: Watched; children: ReactNode }) {
  const trpc = useTrpc();
  const { data } = useQuery(trpc.stability.events.queryOptions(scope));
  const either = "runId" in scope ? scope : { sweepIds: [...scope.sweepIds] };
  const { data: facts } = useQuery(trpc.stability.standings.queryOptions(either));
  const { data: changes } = useQuery(trpc.stability.changes.queryOptions(either));
  const events = useMemo(
    () => [
      ...(changes ?? []).map(toChange),
      ...(data ?? []).map(({ runId, iteration, severity, message }) => ({ runId, iteration, severity, message })),
      ...(facts ?? []).flatMap(toCollapse),
    ],
    [data, facts, changes],
  );
  return <ChartEventsContext value={events.length === 0 ? none : events}>{children}</ChartEventsContext>;
}

function toChange({ runId, iteration, text }: ExternalChange): ChartEvent {
  return { runId, iteration, severity: "change", message: text === "" ? "the data changed" : text };
}

function toCollapse({ runId, hindsight }: StabilityFacts & { runId: string }): ChartEvent[] {
  const { iteration, fall } = hindsight;
  if (iteration === null) return [];
  const message = `${nameOutcome(hindsight)}${fall ? `: ${describeFall(fall)}` : ""}`;
  return [{ runId, iteration, severity: "hindsight", message }];
}

/**
 * The cursor in the charts: a value on an x-axis, and the chart in which the reader moves it; null if there is none.
 */
export type Cursor = { axis: XAxisName; iteration: number; chartKey: string } | null;

type Store = { read: () => Cursor; write: (cursor: Cursor) => void; subscribe: (listener: () => void) => () => void };

// This store is outside React state, because the pointer moves a hundred times a second. Only the cursors must be
// rendered again, not the lines.
export function makeStore(): Store {
  let cursor: Cursor = null;
  const listeners = new Set<() => void>();
  return {
    read: () => cursor,
    write: (next) => {
      if (isSame(cursor, next)) return;
      cursor = next;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function isSame(one: Cursor, other: Cursor): boolean {
  return one?.axis === other?.axis && one?.iteration === other?.iteration && one?.chartKey === other?.chartKey;
}

const CursorContext = createContext<Store>(makeStore());

/** Provides one cursor and one highlighted line, shared by all charts below this component. */
export function CursorProvider({ children }: { children: ReactNode }) {
  const [store] = useState(makeStore);
  return (
    <CursorContext value={store}>
      <LiftedLineProvider>{children}</LiftedLineProvider>
    </CursorContext>
  );
}

export function useCursor(): [Cursor, Store["write"]] {
  const store = use(CursorContext);
  return [useSyncExternalStore(store.subscribe, store.read, () => null), store.write];
}
