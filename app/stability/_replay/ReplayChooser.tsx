"use client";
import { useQuery } from "@tanstack/react-query";
import { prepareLegend } from "#app/_charts/prepareLegend.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";
import { prepareOverview } from "../_overview/prepareOverview.ts";
import { ReplayView } from "./ReplayView.tsx";

type Props = { sweepIds: string[]; chosen: string; onChoose: (runId: string) => void };

/** Choice of the replayed run: by default the worst of the sweep. */
export function ReplayChooser({ sweepIds, chosen, onChoose }: Props) {
  const trpc = useTrpc();
  const { data } = useQuery(trpc.stability.overview.queryOptions({ sweepIds }));
  if (!data) return <Skeleton className="h-96" />;
  const legend = new Map(prepareLegend(data.cells).map((entry) => [entry.cellId, entry]));
  const runs = prepareOverview(data.runs, "worst").rows.filter(({ status }) => status !== null);
  const runId = runs.find((run) => run.runId === chosen)?.runId ?? runs[0]?.runId;
  return (
    <div className="space-y-4">
      <Choice
        label="Run"
        labelled="above"
        className="max-w-md"
        options={runs.map(({ runId: value, cellId, seed, hindsight, alarm }) => ({
          value,
          label: `${legend.get(cellId)?.label}, seed ${seed} (in hindsight ${hindsight.word}, alarm ${alarm.word})`,
        }))}
        value={runId ?? ""}
        onChange={onChoose}
      />
      {runId === undefined ? (
        <p className="text-muted">No run has logged a metric that the detector reads.</p>
      ) : (
        <ReplayView key={runId} runId={runId} />
      )}
    </div>
  );
}
