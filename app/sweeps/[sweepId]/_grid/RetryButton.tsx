"use client";
import { Icon } from "#app/_ui/Icon.tsx";
import { useRefusal } from "#app/_ui/refusals.tsx";
import type { useRetry } from "./useRetry.ts";

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
