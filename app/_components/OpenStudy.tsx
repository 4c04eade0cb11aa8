"use client";
import { useQuery } from "@tanstack/react-query";
import { formatCount } from "#packages/base";
import {
  type Shipped,
  type ShippedId,
  shippedStudies,
  type StudyProgress,
} from "#server/domain/publish/shippedStudies.ts";
import { sweepPage } from "#server/domain/pages.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { ProgressBar } from "#app/_ui/ProgressBar.tsx";
import { useGo } from "#app/_ui/useSelection.ts";

const pollMs = 500;

type Props = { study: ShippedId; kind?: "primary" | "plain"; label?: string };

/** Button that imports a recorded study that ships with the studio, shows the progress and opens its page. */
export function OpenStudy({ study, kind = "primary", label = "Open the recorded study" }: Props) {
  const trpc = useTrpc();
  const go = useGo();
  const open = useAction(trpc.study.open.mutationOptions(), {
    stale: [trpc.sweep.list.queryFilter()],
    showsError: true,
    toast: describeOpened,
    onDone: ({ sweepIds }) => go(placeOf(shippedStudies[study], sweepIds)),
  });
  const isOpening = open.isPending || open.isSuccess;
  const { data: progress } = useQuery({
    ...trpc.study.progress.queryOptions({ study }),
    enabled: open.isPending,
    refetchInterval: pollMs,
    staleTime: 0,
  });
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <ActionButton kind={kind} className="self-start" disabled={isOpening} onClick={() => open.mutate({ study })}>
        <Icon name="play" /> {isOpening ? "Opening…" : label}
      </ActionButton>
      {open.isPending && progress && <Progress progress={progress} />}
      {open.error && <Notice tone="bad">{errorWords(open.error)}</Notice>}
    </div>
  );
}

type Opened = { sweepIds: readonly string[]; numProofs: number; numDifferent: number };

// Tables of labels are verified later, because the detector first reads the imported runs.
function describeOpened({ sweepIds, numProofs, numDifferent }: Opened): string {
  const sweeps = `${formatCount(sweepIds.length, "sweep")} opened`;
  if (numProofs === 0) return sweeps;
  const tables = `${sweeps}, ${formatCount(numProofs, "table")} recomputed`;
  return numDifferent === 0
    ? `${tables} with the same numbers`
    : `${tables}; ${numDifferent} differ from the recorded tables`;
}

function placeOf({ page }: Shipped, sweepIds: readonly string[]): string {
  if (page === undefined) return sweepPage(sweepIds[0] ?? "");
  return `${page}?${sweepIds.map((id) => `sweep=${encodeURIComponent(id)}`).join("&")}`;
}

function Progress({ progress: { numRuns, numAllRuns, numProofs } }: { progress: StudyProgress }) {
  return (
    <div className="flex w-full flex-col gap-1 text-sm text-muted" role="status">
      <ProgressBar
        label="Imported runs"
        total={numAllRuns}
        parts={[{ label: "imported", count: numRuns, tone: "accent" }]}
      />
      {numRuns < numAllRuns
        ? `${numRuns} of ${formatCount(numAllRuns, "run")}`
        : `${formatCount(numAllRuns, "run")}; ${formatCount(numProofs, "table")} computed again`}
    </div>
  );
}
