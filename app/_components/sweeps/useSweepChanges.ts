"use client";
import { useQueryClient } from "@tanstack/react-query";
import { useSubscription } from "@trpc/tanstack-react-query";
import { useState } from "react";
import { useTrpc } from "#app/_trpc/client.tsx";

const atMostEveryMs = 500;

/** Refetches queries about sweeps on events (of one sweep, or of all), at most twice a second. */
export function useSweepChanges(sweepId?: string): void {
  const trpc = useTrpc();
  const queryClient = useQueryClient();
  const [soon] = useState(makeSoon);
  const refresh = () =>
    soon(() => {
      void queryClient.invalidateQueries(trpc.sweep.list.queryFilter());
      void queryClient.invalidateQueries(trpc.sweep.byId.queryFilter());
    });
  useSubscription(trpc.sweep.onChange.subscriptionOptions(sweepId ? { sweepId } : {}, { onData: refresh }));
}

/** Debounces an action: calls that arrive before it runs are merged. */
function makeSoon(): (action: () => void) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (action) => {
    timer ??= setTimeout(() => {
      timer = undefined;
      action();
    }, atMostEveryMs);
  };
}
