"use client";
import { useSyncExternalStore } from "react";
import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "#server/api/root.ts";
import { CancelledNotice } from "#app/_components/cancelling/CancelledNotice.tsx";
import { MarksBar } from "#app/_components/marks/MarksBar.tsx";
import { PageHead } from "#app/_components/PageHead.tsx";
import { ProgressBar } from "#app/_ui/ProgressBar.tsx";
import { formatCount } from "#app/_charts/format.ts";
import { countOver, describeOpen, formatCounts, formatProgress, progressOf } from "#server/domain/runs/progress.ts";
import { SweepActions } from "./_actions/SweepActions.tsx";
import { formatTime } from "./prepareProgress.ts";

type Sweep = inferRouterOutputs<AppRouter>["sweep"]["byId"];

type Grid = inferRouterOutputs<AppRouter>["run"]["grid"];

type Props = {
  sweep: Sweep;
  grid: Grid;
  /** Summary of the results; undefined while loading. */
  sentence: string | undefined;
};

/** Name, progress, time and actions of a sweep. */
export function SweepHead({ sweep, grid, sentence }: Props) {
  const nowMs = useNow();
  const share = progressOf(sweep, sweep.counts);
  const isOver = countOver(sweep.counts) === sweep.numRuns;
  return (
    <>
      <PageHead title={sweep.name} actions={<SweepActions sweep={sweep} grid={grid} />}>
        {sweep.description}
      </PageHead>
      <MarksBar kind="sweep" id={sweep.id} />
      {sweep.intent === "cancel" && (sweep.cancelledBy !== null || !isOver) && (
        <CancelledNotice
          of={{ kind: "sweep", id: sweep.id }}
          by={sweep.cancelledBy}
          cancelAt={sweep.cancelAt}
          isOpen={!isOver}
        />
      )}
      {/* Its height is reserved, so that nothing jumps when it arrives. */}
      <p className="mb-3 min-h-6 max-w-4xl text-lg text-pretty" aria-live="polite">
        {sentence && [sentence, describeOpen(sweep.counts)].filter(Boolean).join(" ")}
      </p>
      <div className="mb-4">
        <ProgressBar
          label="Trained"
          parts={[{ label: "percent", count: Math.floor(100 * share), tone: isOver ? "good" : "accent" }]}
          total={100}
        />
        <p className="mt-1.5 flex flex-wrap justify-between gap-x-4 text-sm text-muted">
          <span>
            {formatCount(sweep.numRuns, "run")}: {formatCounts(sweep.counts)}
            {!isOver && `; ${formatProgress(share)} trained`}
          </span>
          {nowMs !== null && <span>{formatTime(sweep, nowMs)}</span>}
        </p>
      </div>
    </>
  );
}

/** Current time in seconds; null on the server, whose clock differs from the reader's. */
function useNow(): number | null {
  return useSyncExternalStore(
    everySecond,
    () => Math.floor(Date.now() / 1000) * 1000,
    () => null,
  );
}

function everySecond(listener: () => void): () => void {
  const timer = setInterval(listener, 1000);
  return () => clearInterval(timer);
}
