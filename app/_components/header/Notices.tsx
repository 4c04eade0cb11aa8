"use client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { inferRouterOutputs } from "@trpc/server";
import { useSubscription } from "@trpc/tanstack-react-query";
import Link from "next/link";
import { useRef, useState } from "react";
import type { AppRouter } from "#server/api/root.ts";
import { usePageVisible } from "#app/_charts/useLiveCharts.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { Icon } from "#app/_ui/Icon.tsx";
import { severityLooks } from "../stability/statusLooks.ts";

/** What the detector said since it was last put away: a bell with a count, live, that opens into the list. */
export function Notices() {
  const trpc = useTrpc();
  const details = useRef<HTMLDetailsElement>(null);
  const { data } = useQuery(trpc.stability.notices.queryOptions(undefined, { refetchInterval: 60_000 }));
  const markSeen = useAction(trpc.stability.markSeen.mutationOptions(), {
    stale: [trpc.stability.notices.queryFilter()],
  });
  useAlarmNews();
  const close = () => {
    if (details.current) details.current.open = false;
  };
  const numUnseen = data?.numUnseen ?? 0;
  const events = data?.events ?? [];
  const newest = events[0]?.id;
  return (
    <details ref={details} className="relative">
      <summary
        className="flex cursor-pointer list-none items-center gap-1 rounded-md px-2 py-1 text-muted hover:bg-sunken hover:text-text"
        aria-label={numUnseen === 0 ? "No new alarms" : `${numUnseen} new alarms`}
        title="Alarms of the detector"
      >
        <Icon name="bell" />
        {numUnseen > 0 && (
          <span className="rounded-full bg-bad px-1.5 text-xs font-semibold text-surface">
            {numUnseen > 99 ? "99+" : numUnseen}
          </span>
        )}
      </summary>
      <div className="fixed inset-x-2 top-13 z-40 max-h-[70vh] overflow-y-auto rounded-md border border-line bg-surface p-3 shadow-lg sm:absolute sm:inset-x-auto sm:top-full sm:right-0 sm:mt-2 sm:w-96">
        <div className="mb-2 flex items-baseline justify-between gap-2">
          <h2 className="font-semibold">Alarms</h2>
          {newest !== undefined && (
            <button
              type="button"
              className="text-sm text-accent hover:underline"
              onClick={() => {
                markSeen.mutate({ upToId: newest });
                close();
              }}
            >
              Mark all as read
            </button>
          )}
        </div>
        {events.length === 0 && <p className="text-muted">No new alarms.</p>}
        <AlarmList events={events} onOpen={close} />
        <p className="mt-2 text-xs">
          <Link href="/alerts" className="text-accent hover:underline" onClick={close}>
            Tell it outside: e-mail, Slack, webhooks
          </Link>
        </p>
        {numUnseen > events.length && (
          <p className="mt-2 text-xs text-muted">
            {events.length} of {numUnseen}; all are on the stability page.
          </p>
        )}
      </div>
    </details>
  );
}

type Alarms = inferRouterOutputs<AppRouter>["stability"]["notices"]["events"];

function AlarmList({ events, onOpen }: { events: Alarms; onOpen: () => void }) {
  return (
    <ul className="space-y-2 text-sm">
      {events.map((event) => (
        <li key={event.id}>
          <Link
            href={`/runs/${event.runId}?tab=stability`}
            className="block rounded-md p-1 hover:bg-sunken"
            onClick={onOpen}
          >
            <span className="font-medium">
              <span style={{ color: severityLooks[event.severity].color }}>{severityLooks[event.severity].title}</span>{" "}
              · {event.method} {event.label} seed {event.seed}, iteration {event.iteration}
            </span>
            <span className="block text-xs text-muted">{event.message}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Reads alarms again when the server has news of one. */
function useAlarmNews(): void {
  const trpc = useTrpc();
  const queryClient = useQueryClient();
  const refresh = () => queryClient.invalidateQueries(trpc.stability.notices.queryFilter());
  const [hasBegun, setHasBegun] = useState(false);
  // The one stream of a page for news of this kind, and none while the page is hidden: a browser has six for a host.
  const isVisible = usePageVisible();
  useSubscription(
    trpc.sweep.onChange.subscriptionOptions(
      {},
      {
        enabled: isVisible,
        onData: ({ data: news }) => {
          if (news.kind === "collapse") void queryClient.invalidateQueries(trpc.stability.pathFilter());
          // The first says nothing new of a page just read; a later one stands for all that was missed, hidden or cut off.
          if (news.kind !== "all") return;
          if (hasBegun) void queryClient.invalidateQueries(trpc.stability.pathFilter());
          else void refresh();
          setHasBegun(true);
        },
      },
    ),
  );
}
