"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useState, useSyncExternalStore } from "react";
import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "#server/api/root.ts";
import { PageHead } from "#app/_components/PageHead.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Button, buttonClasses } from "#app/_ui/Button.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { ProgressBar } from "#app/_ui/ProgressBar.tsx";
import { useToast } from "#app/_ui/Toast.tsx";
import { formatCount } from "#app/_charts/format.ts";
import { DeleteSweep } from "./DeleteSweep.tsx";
import { SeedActions } from "./SeedActions.tsx";
import { prepareParts, sayCounts, sayTime } from "./prepareProgress.ts";

type Sweep = inferRouterOutputs<AppRouter>["sweep"]["byId"];

type Grid = inferRouterOutputs<AppRouter>["run"]["grid"];

type Props = { sweep: Sweep; grid: Grid };

/** Name, progress and time of a sweep, and what can be done with it. */
export function SweepHead({ sweep, grid }: Props) {
  const nowMs = useNow();
  return (
    <>
      <PageHead title={sweep.name} actions={<SweepActions sweep={sweep} grid={grid} />}>
        {sweep.description}
      </PageHead>
      <div className="mb-4">
        <ProgressBar label="Runs" parts={prepareParts(sweep.counts)} total={sweep.numRuns} />
        <p className="mt-1.5 flex flex-wrap justify-between gap-x-4 text-sm text-muted">
          <span>
            {formatCount(sweep.numRuns, "run")}: {sayCounts(sweep.counts)}
          </span>
          {nowMs !== null && <span>{sayTime(sweep, nowMs)}</span>}
        </p>
      </div>
    </>
  );
}

function SweepActions({ sweep, grid }: Props) {
  const trpc = useTrpc();
  const queryClient = useQueryClient();
  const toast = useToast();
  const [isAsking, setIsAsking] = useState(false);
  const after = (text: string) => ({
    onSuccess: async () => {
      toast(text);
      await Promise.all([
        queryClient.invalidateQueries(trpc.sweep.byId.queryFilter({ id: sweep.id })),
        queryClient.invalidateQueries(trpc.run.grid.queryFilter()),
      ]);
    },
    onError: (error: unknown) => toast(errorWords(error), "bad"),
  });
  const pause = useMutation(trpc.sweep.pause.mutationOptions(after("Paused: running runs go on, no new one starts")));
  const resume = useMutation(trpc.sweep.resume.mutationOptions(after("Resumed")));
  const cancel = useMutation(trpc.sweep.cancel.mutationOptions(after("Cancelling: runs stop one by one")));
  const retry = useMutation(trpc.sweep.retry.mutationOptions(after("One more attempt for each of them")));

  const { pending, starting, running, unknown, failed, cancelled } = sweep.counts;
  const isOpen = pending + starting + running + unknown > 0 && sweep.intent !== "cancel";
  const numRetry = failed + cancelled;
  // Runs of other trainers are read, not run.
  const isOurs = sweep.origin === "plan";
  return (
    <>
      {isOpen && isOurs && sweep.intent === "run" && (
        <Button disabled={pause.isPending} onClick={() => pause.mutate({ id: sweep.id })}>
          <Icon name="pause" /> Pause
        </Button>
      )}
      {isOpen && isOurs && sweep.intent === "pause" && (
        <Button kind="primary" disabled={resume.isPending} onClick={() => resume.mutate({ id: sweep.id })}>
          <Icon name="play" /> Resume
        </Button>
      )}
      {isOurs && numRetry > 0 && (
        <Button disabled={retry.isPending} onClick={() => retry.mutate({ id: sweep.id })}>
          <Icon name="retry" /> Retry {formatCount(numRetry, "run")}
        </Button>
      )}
      {isOurs && <SeedActions sweep={sweep} grid={grid} />}
      {isOurs && (
        <Link href={`/sweeps/new?from=${sweep.id}`} className={buttonClasses()}>
          <Icon name="copy" /> Duplicate as new
        </Link>
      )}
      <Link href={`/compare?sweep=${sweep.id}`} className={buttonClasses()}>
        Compare
      </Link>
      {pending + starting + running + unknown === 0 && <DeleteSweep sweep={sweep} />}
      {isOpen && isOurs && (
        <Button kind="danger" disabled={cancel.isPending} onClick={() => setIsAsking(true)}>
          <Icon name="stop" /> Cancel
        </Button>
      )}
      <Dialog
        open={isAsking}
        title="Cancel this sweep?"
        onClose={() => setIsAsking(false)}
        footer={
          <>
            <Button onClick={() => setIsAsking(false)}>Keep going</Button>
            <Button
              kind="danger"
              onClick={() => {
                setIsAsking(false);
                cancel.mutate({ id: sweep.id });
              }}
            >
              Cancel the sweep
            </Button>
          </>
        }
      >
        {formatCount(starting + running + unknown, "running run")} will be stopped and {pending} pending will not start.
        What they have measured is kept, and they can be retried.
      </Dialog>
    </>
  );
}

/** The time, by the second; null on the server, whose clock is not the reader's. */
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
