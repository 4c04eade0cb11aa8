"use client";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { useRefusal } from "#app/_ui/refusals.tsx";
import type { Summary } from "./prepareSummary.ts";

type Props = { summary: Summary | undefined; reason: string; isBusy: boolean; onLaunch: () => void };

/** The launch button with its count; on narrow screens it stays at the bottom edge. */
export function LaunchBar({ summary, reason, isBusy, onLaunch }: Props) {
  const refusal = useRefusal("change");
  return (
    <div className="sticky bottom-0 z-10 lg:bg-page lg:py-1 max-lg:-mx-3 max-lg:border-t max-lg:border-line max-lg:bg-surface max-lg:px-3 max-lg:py-2 max-lg:sm:-mx-6 max-lg:sm:px-6">
      <ActionButton
        kind="primary"
        className="w-full"
        disabled={!summary || isBusy}
        aria-describedby="launch-reason"
        onClick={onLaunch}
      >
        <Icon name="play" /> {isBusy ? "Launching…" : summary ? `Launch ${summary.runs}` : "Launch"}
      </ActionButton>
      <p id="launch-reason" className="mt-1 text-center text-xs text-muted">
        {refusal ?? (summary ? summary.time : reason)}
      </p>
    </div>
  );
}
