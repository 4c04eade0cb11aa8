"use client";
import dynamic from "next/dynamic";
import type { Needed } from "#server/domain/runs/neededSeeds.ts";
import { tellNeeded } from "./tellNeeded.ts";

// Dynamic import: the code that expands plans into runs is loaded where a comparison is undecided.
const AddNeeded = dynamic(() => import("./AddNeeded.tsx").then((module) => module.AddNeeded), { ssr: false });

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
