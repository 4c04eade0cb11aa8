import { useState, useSyncExternalStore } from "react";
import type { PlannedPace } from "#server/domain/plan/sweep/estimate/estimate.ts";
import { CancelledNotice } from "#app/_components/cancelling/CancelledNotice.tsx";
import { MarksBar } from "#app/_components/marks/MarksBar.tsx";
import { UnclearKey } from "#app/_components/AnswerSentence.tsx";
import { PageHead } from "#app/_components/PageHead.tsx";
import { ProgressBar } from "#app/_ui/ProgressBar.tsx";
import { formatCount, formatDuration, formatRough } from "#app/_charts/format.ts";
import type { SweepOrigin } from "#server/db/plan/sweeps.ts";
import {
  describeOpen,
  formatCounts,
  formatProgress,
  isSweepOver,
  type Pace,
  progressOf,
  timeLeft,
} from "#server/domain/runs/progress.ts";
import { describeFullDisks } from "#server/domain/runs/runStatus.ts";
import type { LaunchedSweep } from "#app/_components/seeds/prepareSeeds.ts";
import { SeedsNeeded, type Undecided } from "#app/_components/seeds/SeedsNeeded.tsx";
import { readableName } from "#server/domain/plan/sweep/readableName.ts";
import { keepTogether } from "#app/_ui/keepTogether.ts";
import { usePlannedPace } from "../usePlannedPace.ts";
import { SweepActions } from "./_actions/SweepActions.tsx";

type Props = LaunchedSweep & {
  sentence: string | undefined;
  undecided: readonly Undecided[];
};

export function SweepHead({ sweep, grid, sentence, undecided }: Props) {
  const nowMs = useNow();
  const share = progressOf(sweep, sweep.counts);
  const isOver = isSweepOver(sweep);
  // Four lines are reserved from launch to end, because the sentence grows while runs train.
  const [wasOpen] = useState(!isOver);
  const planned = usePlannedPace(sweep);
  return (
    <>
      <PageHead title={readableName(sweep)} actions={<SweepActions sweep={sweep} grid={grid} />}>
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
      {/* The sentence's height is reserved, so that nothing moves when it arrives. */}
      <p
        className={`mb-3 max-w-4xl text-lg text-pretty ${wasOpen ? "min-h-[6.5rem] max-md:min-h-48" : "min-h-6"}`}
        aria-live="polite"
      >
        {sentence
          ? keepTogether([sentence, describeOpen(sweep.counts)].filter(Boolean).join(" "))
          : awaitsResult(sweep, sentence) && (
              <span className="text-muted">No result yet: the first one follows the first iterations.</span>
            )}
      </p>
      {isOver && /\bunclear\b/.test(sentence ?? "") && <UnclearKey />}
      {isOver && undecided.length > 0 && (
        <details className="mb-3 text-sm">
          <summary className="w-fit cursor-pointer">Seeds that would decide the open differences</summary>
          <SeedsNeeded sweepIds={[sweep.id]} undecided={undecided} />
        </details>
      )}
      <div className="mb-4">
        {!isOver && (
          <ProgressBar
            label="Trained"
            parts={[{ label: "percent", count: Math.floor(100 * share), tone: "accent" }]}
            total={100}
          />
        )}
        <p className="mt-1.5 flex flex-wrap justify-between gap-x-4 text-sm text-muted">
          <span>
            {formatCount(sweep.numRuns, "run")}: {formatCounts(sweep.counts)}
            {!isOver && `; ${formatProgress(share)} trained`}
          </span>
          {nowMs !== null && <span>{formatTime(sweep, nowMs, planned)}</span>}
        </p>
      </div>
    </>
  );
}

/** True for a sweep that is to train its first iteration; `sentence` is undefined while it loads and after an error. */
export function awaitsResult(sweep: Pace & { numRuns: number }, sentence: string | undefined): boolean {
  return sentence === "" && sweep.intent === "run" && sweep.iterationsDone === 0 && !isSweepOver(sweep);
}

/** Returns the current time in ms, updated each second; null on the server, whose clock differs from the reader's. */
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

type Progress = Pace & {
  origin?: SweepOrigin;
  startedAt: Date | null;
  endedAt: Date | null;
  fullDisks?: readonly string[];
};

export function formatTime(progress: Progress, nowMs: number, planned: PlannedPace | null | undefined): string {
  const { startedAt, endedAt, iterationsDone, intent, counts, fullDisks = [] } = progress;
  const isOver = describeOpen(counts) === "";
  // Imported files of external trainers may lack the start time.
  if (!startedAt && isOver) return "";
  if (progress.origin === "import" && !isOver) return "being imported";
  if (!startedAt && fullDisks.length > 0) return `paused: ${describeFullDisks(fullDisks)}`;
  if (!startedAt) return intent === "pause" ? "paused before its first run" : "not started yet";
  const elapsedMs = Math.max(0, (isOver && endedAt ? endedAt.getTime() : nowMs) - startedAt.getTime());
  if (isOver) return `took ${formatDuration(elapsedMs)}, ${formatCount(iterationsDone, "iteration")}`;
  const elapsed = `${formatDuration(elapsedMs)} so far`;
  if (intent === "pause") return `${elapsed}, paused: no new run starts`;
  if (intent === "cancel") return `${elapsed}, being cancelled`;
  if (fullDisks.length > 0) return `${elapsed}, paused: ${describeFullDisks(fullDisks)}`;
  const leftMs = timeLeft(progress, planned);
  return leftMs === undefined ? elapsed : `${elapsed}, about ${formatRough(leftMs)} left`;
}
