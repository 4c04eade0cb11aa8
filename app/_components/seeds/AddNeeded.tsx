"use client";
import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useState } from "react";
import { formatCount, formatSlotHours } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { maxRuns } from "#server/domain/plan/sweep/expand/widen.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import { countNewSeeds, type Needed } from "#server/domain/runs/neededSeeds.ts";
import { prepareAdded } from "./prepareAdded.ts";
import { canAddSeeds } from "./prepareSeeds.ts";

// Dynamic import: the code that expands plans into runs is loaded when the button is pressed.
const AskToAdd = dynamic(() => import("./AskToAdd.tsx").then((module) => module.AskToAdd), { ssr: false });

/** Maximum number of seeds that one request adds. */
const maxNew = 100;

type Props = { sweepId: string; needed: Needed; isNamed: boolean };

/** Cost of the needed seeds in one sweep, with a button for each number of them; nothing where none can be added. */
export function AddNeeded({ sweepId, needed, isNamed }: Props) {
  const trpc = useTrpc();
  const { data: sweep } = useQuery(trpc.sweep.byId.queryOptions({ id: sweepId }));
  const { data: grid } = useQuery(trpc.run.grid.queryOptions({ sweepIds: [sweepId] }));
  const { data: health } = useQuery(trpc.system.health.queryOptions());
  const [asked, setAsked] = useState<number>();
  if (!sweep?.plan || !grid || !canAddSeeds(sweep) || grid.runs.some(({ status }) => !isOver(status))) return null;
  const { plan } = sweep;
  const slots = health && health.state !== "never" ? health.slots : 1;
  const numSeeds = new Set(grid.runs.map(({ seed }) => seed)).size;
  const wanted = [needed.atObserved, needed.atTenPoints].flatMap((seeds) => seeds ?? []);
  const asNew = [...new Set(wanted.map((seeds) => countNewSeeds(needed, seeds, numSeeds)))];
  if (asNew.length === 0) return null;
  const isAllowed = (n: number) => n <= maxNew && grid.cells.length * (numSeeds + n) <= maxRuns;
  return (
    <span className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1">
      {isNamed && <span>{sweep.name}:</span>}
      {asNew.filter(isAllowed).map((numNew) => {
        const { runs, slotMs, time } = prepareAdded({ grid, plan, slots }, numNew);
        return (
          <span key={numNew} className="flex flex-wrap items-center gap-x-2">
            <Button onClick={() => setAsked(numNew)}>
              Add {formatCount(numNew, "seed")} to{" "}
              {grid.cells.length === 1 ? "the configuration" : `all ${grid.cells.length} configurations`} ({runs})
            </Button>
            {!Number.isNaN(slotMs) && (
              // On one slot, the time is the slot-hours.
              <span>{slots > 1 ? `${formatSlotHours(slotMs)}, ${time}` : time}</span>
            )}
          </span>
        );
      })}
      {!asNew.every(isAllowed) && <span>No more than {maxNew} seeds can be added at once.</span>}
      {asked !== undefined && (
        <AskToAdd sweep={sweep} plan={plan} grid={grid} numNew={asked} onClose={() => setAsked(undefined)} />
      )}
    </span>
  );
}
