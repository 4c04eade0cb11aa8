"use client";
import { toYaml, type SweepPlan } from "#server/domain/sweep/plan.ts";
import type { RunRow } from "#server/db/runs.ts";
import { CopyButton } from "#app/_ui/CopyButton.tsx";
import { formatAdded } from "./_actions/prepareSeeds.ts";

type Props = { plan: SweepPlan; runs: readonly Pick<RunRow, "seed" | "addedAt">[] };

/** The plan as it was launched, as a file that launches it again, and what was added since. */
export function PlanView({ plan, runs }: Props) {
  const yaml = toYaml(plan);
  return (
    <section aria-label="Plan as YAML" className="rounded-lg border border-line bg-surface">
      <div className="flex items-center justify-between gap-2 border-b border-line px-3 py-2">
        <span className="text-sm text-muted">{formatAdded(plan, runs)}</span>
        <CopyButton text={yaml} label="Copy YAML" />
      </div>
      <pre tabIndex={0} className="overflow-x-auto p-3 font-mono text-xs leading-5">
        {yaml}
      </pre>
    </section>
  );
}
