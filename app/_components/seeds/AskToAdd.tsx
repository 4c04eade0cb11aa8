import { useQuery } from "@tanstack/react-query";
import { formatCount } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { estimateRunSeconds } from "#server/domain/plan/sweep/estimate/estimate.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import type { SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import { type Grid, prepareAdded } from "./prepareAdded.ts";
import { type LaunchedSweep, seedEffects } from "./prepareSeeds.ts";

type Props = LaunchedSweep & {
  plan: SweepPlan;
  /** Number of new seeds per configuration; 0 adds only the missing runs of seeds that other configurations have. */
  numNew: number;
  onClose: () => void;
};

export function AskToAdd({ sweep, plan, grid, numNew, onClose }: Props) {
  const trpc = useTrpc();
  const { data: health } = useQuery(trpc.system.health.queryOptions());
  const slots = health && health.state !== "never" ? health.slots : 1;
  const add = useAction(trpc.run.addSeeds.mutationOptions(), seedEffects("added", onClose));
  const { runs, seeds, time } = prepareAdded({ grid, plan, slots, guess: guessRuns }, numNew);
  return (
    <Dialog
      open
      title={numNew === 0 ? "Add the missing runs?" : `Add ${numNew === 1 ? "a seed" : formatCount(numNew, "seed")}?`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Do not launch</Button>
          <Button kind="primary" disabled={add.isPending} onClick={() => add.mutate({ sweepId: sweep.id, numNew })}>
            {add.isPending ? "Launching…" : `Launch ${runs}`}
          </Button>
        </>
      }
    >
      <p>
        {runs} of {seeds}: {time}.
      </p>
      <p className="mt-2 text-sm text-muted">
        {sweep.intent === "pause" ? "The sweep is paused, so the new runs wait until the sweep is resumed. " : ""}
        You can remove these runs again until they finish.
      </p>
      {add.error && <Notice tone="bad">{errorWords(add.error)}</Notice>}
    </Dialog>
  );
}

/** Estimates durations in ms by cell id from the plan's settings. */
export function guessRuns({ cells }: Grid, plan: SweepPlan): Map<number, number> {
  const seconds = new Map(expandPlan(plan).cells.map(({ index, spec }) => [index, estimateRunSeconds(spec)]));
  return new Map(cells.map(({ id, index }) => [id, 1000 * (seconds.get(index) ?? 0)]));
}
