"use client";

import { skipToken, useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, use, useMemo, useState, useSyncExternalStore } from "react";
import { describeFall, nameOutcome, type StabilityFacts } from "#packages/detector";
import type { ExternalChange } from "#server/db/analysis/externalChanges.ts";
import { useTrpc } from "../_trpc/client.tsx";
import { makeStore, type Store } from "../_ui/store.ts";
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
 * Provides the runs' events to the charts below; a new event arrives on the stream of the page's header. Charts of
 * several runs mark no alarms (`prepareFlags`), so alarms are requested for a single run only.
 */
export function ChartEventsProvider({ scope, children }: { scope: Watched; children: ReactNode }) {
  const trpc = useTrpc();
  const isOne = "runId" in scope;
  const { data } = useQuery(trpc.stability.events.queryOptions(isOne ? { runId: scope.runId } : skipToken));
  const either = isOne ? scope : { sweepIds: [...scope.sweepIds] };
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

/** Opens the training groups of an iteration, which a click or Enter chooses in a chart; undefined: no groups. */
export const GroupsLinkContext = createContext<((iteration: number) => void) | undefined>(undefined);

/** Cursor in the charts: a value on an x-axis, and the chart in which the reader moves it; null: none. */
export type Cursor = { axis: XAxisName; iteration: number; chartKey: string } | null;

/** Makes the cursor's store, outside React state: frequent pointer movements must render only cursors again. */
export function makeCursor(): Store<Cursor> {
  return makeStore<Cursor>(null, isSame);
}

function isSame(one: Cursor, other: Cursor): boolean {
  return one?.axis === other?.axis && one?.iteration === other?.iteration && one?.chartKey === other?.chartKey;
}

const CursorContext = createContext(makeCursor());

/** Provides one cursor and one highlighted line, shared by all charts below this component. */
export function CursorProvider({ children }: { children: ReactNode }) {
  const [store] = useState(makeCursor);
  return (
    <CursorContext value={store}>
      <LiftedLineProvider>{children}</LiftedLineProvider>
    </CursorContext>
  );
}

export function useCursor(): [Cursor, Store<Cursor>["write"]] {
  const store = use(CursorContext);
  return [useSyncExternalStore(store.subscribe, store.read, () => null), store.write];
}
