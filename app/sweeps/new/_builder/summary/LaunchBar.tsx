"use client";
import { Button } from "#app/_ui/Button.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import type { Summary } from "./prepareSummary.ts";

type Props = { summary: Summary | undefined; reason: string; isBusy: boolean; onLaunch: () => void };

/** The launch button with its count; on narrow screens it stays at the bottom edge. */
export function LaunchBar({ summary, reason, isBusy, onLaunch }: Props) {
  return (
    <div className="sticky bottom-0 z-10 lg:bg-page lg:py-1 max-lg:-mx-3 max-lg:border-t max-lg:border-line max-lg:bg-surface max-lg:px-3 max-lg:py-2 max-lg:sm:-mx-6 max-lg:sm:px-6">
      <Button
        kind="primary"
        className="w-full"
        disabled={!summary || isBusy}
        aria-describedby="launch-reason"
        onClick={onLaunch}
      >
        <Icon name="play" /> {isBusy ? "Launching…" : summary ? `Launch ${summary.runs}` : "Launch"}
      </Button>
      <p id="launch-reason" className="mt-1 text-center text-xs text-muted">
        {summary ? summary.time : reason}
      </p>
    </div>
  );
}
