"use client";
import { useQuery } from "@tanstack/react-query";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";
import { StatusStrip } from "#app/_components/stability/StatusStrip.tsx";
import { EventList } from "#app/_components/stability/EventList.tsx";
import { AlarmPill, HindsightPill } from "#app/_components/stability/FactPills.tsx";
import { LazyMount } from "#app/_charts/LazyMount.tsx";
import { ExternalChanges } from "./ExternalChanges.tsx";
import { ReplayView } from "./_replay/ReplayView.tsx";

/** The detector's state of a run, metrics that it lacked, all its events, and their replay. */
export function RunStability({ runId, sweepId }: { runId: string; sweepId: string }) {
  const trpc = useTrpc();
  const overview = useQuery(trpc.stability.overview.queryOptions({ sweepIds: [sweepId] }, { refetchInterval: 15_000 }));
  const events = useQuery(trpc.stability.events.queryOptions({ runId }));
  if (overview.error) return <Notice tone="bad">{errorWords(overview.error)}</Notice>;
  if (!overview.data || !events.data) return <Skeleton className="h-64" />;
  const run = overview.data.runs.find((one) => one.runId === runId);
  if (!run?.status) return <p className="text-muted">No metrics that the detector reads have been logged yet.</p>;
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center gap-3">
        <HindsightPill hindsight={run.hindsight} />
        <AlarmPill alarm={run.alarm} />
      </div>
      <StatusStrip
        changes={run.changes}
        last={run.iteration}
        length={run.iteration}
        collapseStep={run.label?.collapseStep}
      />
      {run.missing.length > 0 && (
        <Notice tone="warn">
          Not logged, so not watched: {run.missing.map(({ title, needs }) => `${title} (needs ${needs})`).join("; ")}.
        </Notice>
      )}
      <EventList events={events.data} />
      <ExternalChanges runId={runId} />
      <section aria-labelledby="replay">
        <h2 id="replay" className="mb-3 font-semibold">
          Replay
        </h2>
        <LazyMount height={480}>
          <ReplayView runId={runId} />
        </LazyMount>
      </section>
    </div>
  );
}
