"use client";
import { useQuery } from "@tanstack/react-query";
import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "#server/api/root.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { prepareAdded } from "./prepareAdded.ts";
import { seedEffects } from "./seedEffects.ts";

type Outputs = inferRouterOutputs<AppRouter>;
type Sweep = Outputs["sweep"]["byId"];
type Props = {
  sweep: Sweep;
  plan: NonNullable<Sweep["plan"]>;
  grid: Outputs["run"]["grid"];
  /** New seeds per configuration; 0 only fills gaps. */
  numNew: number;
  onClose: () => void;
};

/** Shows the runs that adding seeds would launch, and asks for confirmation. */
export function AskToAdd({ sweep, plan, grid, numNew, onClose }: Props) {
  const trpc = useTrpc();
  const { data: health } = useQuery(trpc.system.health.queryOptions());
  const slots = health && health.state !== "never" ? health.slots : 1;
  const add = useAction(trpc.run.addSeeds.mutationOptions(), seedEffects("added", onClose));
  const { numRuns, runs, seeds, time } = prepareAdded({ grid, plan, slots }, numNew);
  return (
    <Dialog
      open
      title={numNew === 0 ? "Fill the holes of the grid?" : "Add a seed?"}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Leave it as it is</Button>
          <Button kind="primary" disabled={add.isPending} onClick={() => add.mutate({ sweepId: sweep.id, numNew })}>
            {add.isPending ? "Launching…" : `Launch ${runs}`}
          </Button>
        </>
      }
    >
      <p>
        {runs} of {seeds}: {numRuns === 1 ? "it takes" : "they take"} {time}.
      </p>
      <p className="mt-2 text-sm text-muted">
        {sweep.intent === "pause" ? "The sweep is paused, so they wait until it is resumed. " : ""}
        You can remove them again until they finish.
      </p>
      {add.error && <Notice tone="bad">{errorWords(add.error)}</Notice>}
    </Dialog>
  );
}
