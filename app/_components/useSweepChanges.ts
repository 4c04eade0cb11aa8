"use client";
import { useQueryClient } from "@tanstack/react-query";
import { useSubscription } from "@trpc/tanstack-react-query";
import { useRef } from "react";
import { useTrpc } from "../_trpc/client.tsx";

const atMostEveryMs = 500;

/** Keeps queries about sweeps true: news (of one sweep, or of all) makes them ask again, at most twice a second. */
export function useSweepChanges(sweepId?: string): void {
  const trpc = useTrpc();
  const queryClient = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const refresh = () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void queryClient.invalidateQueries(trpc.sweep.list.queryFilter());
      void queryClient.invalidateQueries(trpc.sweep.byId.queryFilter());
    }, atMostEveryMs);
  };
  useSubscription(trpc.sweep.onChange.subscriptionOptions(sweepId ? { sweepId } : {}, { onData: refresh }));
}
