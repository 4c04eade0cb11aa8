"use client";

import { formatCount } from "#app/_charts/format.ts";
import { useTrpc, useTrpcClient } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { Icon } from "#app/_ui/Icon.tsx";
import { useRefusal } from "#app/_ui/refusals.tsx";

type Props = { label: string; runs: readonly { id: string }[]; retry: ReturnType<typeof useRetry> };

export function RetryButton({ label, runs, retry }: Props) {
  const refusal = useRefusal("change");
  return (
    <button
      type="button"
      aria-label={label}
      title={refusal ?? label}
      disabled={refusal !== undefined || retry.isPending}
      onClick={() => retry.mutate(runs.map(({ id }) => id))}
      className="inline-flex size-7 items-center justify-center rounded-md text-muted hover:bg-sunken hover:text-text disabled:opacity-50"
    >
      <Icon name="retry" className="size-3.5" />
    </button>
  );
}

/** Returns a mutation that starts a new attempt of each given run. */
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
