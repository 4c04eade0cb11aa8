"use client";
import { formatCount } from "#app/_charts/format.ts";
import { useTrpc, useTrpcClient } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";

/** Starts one more attempt for each of these runs. */
export function useRetry() {
  const trpc = useTrpc();
  const client = useTrpcClient();
  return useAction(
    { mutationFn: (ids: string[]) => Promise.all(ids.map((id) => client.run.retry.mutate({ id }))) },
    {
      toast: (_, ids) => `One more attempt for ${formatCount(ids.length, "run")}`,
      stale: [trpc.run.grid.queryFilter(), trpc.sweep.byId.queryFilter()],
    },
  );
}
