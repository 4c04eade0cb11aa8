"use client";
import type { Needed } from "#server/domain/runs/neededSeeds.ts";
import { AddNeeded } from "./AddNeeded.tsx";
import { tellNeeded } from "./tellNeeded.ts";

export type Undecided = { names: readonly string[]; needed: Needed };

type Props = { sweepIds: readonly string[]; undecided: readonly Undecided[] };

/** Undecided comparisons of sweeps, each with the seeds that would decide it, their cost, and buttons that add them. */
export function SeedsNeeded({ sweepIds, undecided }: Props) {
  return undecided.map(({ names, needed }) => (
    <div key={names.join()} className="mb-3 max-w-4xl text-sm text-muted">
      {tellNeeded(names, needed)}
      {sweepIds.map((sweepId) => (
        <AddNeeded key={sweepId} sweepId={sweepId} needed={needed} isNamed={sweepIds.length > 1} />
      ))}
    </div>
  ));
}
