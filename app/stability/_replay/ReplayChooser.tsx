"use client";
import { useQuery } from "@tanstack/react-query";
import { prepareLegend } from "#app/_charts/prepareLegend.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Field } from "#app/_ui/Field.tsx";
import { Select } from "#app/_ui/Input.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";
import { prepareOverview } from "../_overview/prepareOverview.ts";
import { statusLooks } from "#app/_components/stability/statusLooks.ts";
import { ReplayView } from "./ReplayView.tsx";

type Props = { sweepIds: string[]; chosen: string | null; onChoose: (runId: string) => void };

/** Which run is replayed: the worst of the sweep unless one is named. */
export function ReplayChooser({ sweepIds, chosen, onChoose }: Props) {
  const trpc = useTrpc();
  const { data } = useQuery(trpc.stability.overview.queryOptions({ sweepIds }));
  if (!data) return <Skeleton className="h-96" />;
  const legend = new Map(prepareLegend(data.cells).map((entry) => [entry.cellId, entry]));
  const runs = prepareOverview(data.runs, "worst").rows.filter(({ status }) => status !== null);
  const runId = runs.find((run) => run.runId === chosen)?.runId ?? runs[0]?.runId;
  return (
    <div className="space-y-4">
      <Field label="Run" className="max-w-md">
        {(wiring) => (
          <Select {...wiring} value={runId ?? ""} onChange={({ target }) => onChoose(target.value)}>
            {runs.map((run) => (
              <option key={run.runId} value={run.runId}>
                {legend.get(run.cellId)?.label}, seed {run.seed}
                {run.status && ` (${statusLooks[run.status].title.toLowerCase()})`}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {runId === undefined ? (
        <p className="text-muted">No run here has logged anything that the rules read.</p>
      ) : (
        <ReplayView key={runId} runId={runId} />
      )}
    </div>
  );
}
