import { useQuery } from "@tanstack/react-query";
import type { RunRow } from "#server/db/runs/runs.ts";
import type { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { CopyButton } from "#app/_ui/CopyButton.tsx";
import { formatAdded } from "#app/_components/seeds/prepareSeeds.ts";

type Props = { sweepId: string; plan: SweepPlan; runs: readonly Pick<RunRow, "seed" | "addedAt">[] };

export function PlanView({ sweepId, plan, runs }: Props) {
  // The server writes the YAML file, because a YAML library is larger than the rest of the page.
  const { data: yaml, error } = useQuery(useTrpc().sweep.file.queryOptions({ id: sweepId }, { staleTime: Infinity }));
  return (
    <section aria-label="Plan as YAML" className="rounded-lg border border-line bg-surface">
      <div className="flex items-center justify-between gap-2 border-b border-line px-3 py-2">
        <span className="text-sm text-muted">{formatAdded(plan, runs)}</span>
        {typeof yaml === "string" && <CopyButton text={yaml} label="Copy YAML" />}
      </div>
      <pre tabIndex={0} className="overflow-x-auto p-3 max-sm:whitespace-pre-wrap font-mono text-xs leading-5">
        {yaml ?? error?.message ?? "Loading…"}
      </pre>
    </section>
  );
}
