"use client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSubscription } from "@trpc/tanstack-react-query";
import dynamic from "next/dynamic";
import { useState } from "react";
import { usePageVisible } from "#app/_charts/useLiveCharts.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { usePacedRefetch } from "#app/_trpc/pacedRefetch.ts";
import { Icon } from "#app/_ui/Icon.tsx";
import { Popover } from "#app/_ui/Popover.tsx";

// Dynamic import: the code is loaded when the reader first opens the list.
const NoticeList = dynamic(() => import("./NoticeList.tsx").then((module) => module.NoticeList), { ssr: false });

export function Notices() {
  const trpc = useTrpc();
  const { data } = useQuery(trpc.stability.notices.queryOptions(undefined, { refetchInterval: 60_000 }));
  useAlarmNews();
  const numUnseen = data?.numUnseen ?? 0;
  return (
    <Popover
      label={numUnseen === 0 ? "No new alarms" : `${numUnseen} new alarms`}
      buttonClassName="flex items-center gap-1 rounded-md px-2 py-1 text-muted hover:bg-sunken hover:text-text"
      button={
        <>
          <Icon name="bell" />
          {numUnseen > 0 && (
            <span className="rounded-full bg-bad px-1.5 text-xs font-semibold text-surface">
              {numUnseen > 99 ? "99+" : numUnseen}
            </span>
          )}
        </>
      }
    >
      {(close) => <NoticeList numUnseen={numUnseen} events={data?.events ?? []} onDone={close} />}
    </Popover>
  );
}

/** Pause in ms before each refetch: the labels of a large sweep's runs cause hundreds of announcements. */
const everyMs = 2000;

/** Refetches the data on stability when the server announces an alarm, or after missed events. */
function useAlarmNews(): void {
  const trpc = useTrpc();
  const queryClient = useQueryClient();
  const refetch = usePacedRefetch(everyMs);
  const [hasBegun, setHasBegun] = useState(false);
  // The subscription ends while the page is hidden: browsers open at most six connections per host.
  const isVisible = usePageVisible();
  useSubscription(
    trpc.sweep.onChange.subscriptionOptions(
      {},
      {
        enabled: isVisible,
        onData: ({ data: news }) => {
          if (news.kind === "collapse") refetch(trpc.stability.pathFilter());
          // The first "all" event repeats the data just loaded; a later one means that events were missed.
          if (news.kind !== "all") return;
          if (hasBegun) refetch(trpc.stability.pathFilter());
          else void queryClient.invalidateQueries(trpc.stability.notices.queryFilter());
          setHasBegun(true);
        },
      },
    ),
  );
}
