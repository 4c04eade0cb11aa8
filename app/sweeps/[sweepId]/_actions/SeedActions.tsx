"use client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "#server/api/root.ts";
import { formatCount } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { countHoles, listOpenAdded, prepareAdded, describeSeeds } from "./prepareSeeds.ts";

type Outputs = inferRouterOutputs<AppRouter>;
type Props = { sweep: Outputs["sweep"]["byId"]; grid: Outputs["run"]["grid"] };

/** More seeds for a launched sweep, after asking, and the way back as long as they are not through. */
export function SeedActions({ sweep, grid }: Props) {
  const [asking, setAsking] = useState<"add" | "fill" | "takeBack">();
  const numHoles = countHoles(grid);
  const open = listOpenAdded(grid.runs);
  const { pending, starting, running, unknown, cancelled } = sweep.counts;
  const canAdd = sweep.intent !== "cancel" || pending + starting + running + unknown + cancelled === 0;
  const close = () => setAsking(undefined);
  return (
    <>
      {canAdd && numHoles > 0 && (
        <Button
          title="A run of every seed that one configuration has and another lacks"
          onClick={() => setAsking("fill")}
        >
          <Icon name="grid" /> Fill {formatCount(numHoles, "hole")}
        </Button>
      )}
      {canAdd && (
        <Button
          title="A run of the next seed for every configuration, and of seeds that one of them lacks"
          onClick={() => setAsking("add")}
        >
          <Icon name="plus" /> Add a seed
        </Button>
      )}
      {open.length > 0 && sweep.intent !== "cancel" && (
        <Button onClick={() => setAsking("takeBack")}>
          <Icon name="stop" /> Remove {describeSeeds(open.map(({ seed }) => seed))}
        </Button>
      )}
      {sweep.plan && asking !== undefined && asking !== "takeBack" && (
        <AskToAdd sweep={sweep} plan={sweep.plan} grid={grid} numNew={asking === "add" ? 1 : 0} onClose={close} />
      )}
      {asking === "takeBack" && <AskToTakeBack sweepId={sweep.id} runs={open} onClose={close} />}
    </>
  );
}

type Asking = Props & { plan: NonNullable<Props["sweep"]["plan"]>; numNew: number; onClose: () => void };

function AskToAdd({ sweep, plan, grid, numNew, onClose }: Asking) {
  const trpc = useTrpc();
  const { data: health } = useQuery(trpc.system.health.queryOptions());
  const slots = health && health.state !== "never" ? health.slots : 1;
  const add = useAction(trpc.run.addSeeds.mutationOptions(), effects("added", onClose));
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
        {sweep.intent === "pause" ? "The sweep is paused: they wait until it is resumed. " : ""}
        Until they finish they can be removed again; the sweep is then as before.
      </p>
      {add.error && <Notice tone="bad">{errorWords(add.error)}</Notice>}
    </Dialog>
  );
}

type TakingBack = { sweepId: string; runs: readonly { seed: number; status: string }[]; onClose: () => void };

function AskToTakeBack({ sweepId, runs, onClose }: TakingBack) {
  const trpc = useTrpc();
  const takeBack = useAction(trpc.run.takeBackSeeds.mutationOptions(), effects("being cancelled", onClose));
  const numLive = runs.filter(({ status }) => status !== "pending").length;
  return (
    <Dialog
      open
      title="Remove the added runs?"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Keep them</Button>
          <Button kind="danger" disabled={takeBack.isPending} onClick={() => takeBack.mutate({ sweepId })}>
            Cancel {formatCount(runs.length, "added run")}
          </Button>
        </>
      }
    >
      <p>
        {formatCount(runs.length, "run")} of {describeSeeds(runs.map(({ seed }) => seed))}, of which {numLive}{" "}
        {numLive === 1 ? "has" : "have"} started. They leave every count, table and figure; their pages and what they
        measured stay, and they go on from there when the seed is added again.
      </p>
      {takeBack.error && <Notice tone="bad">{errorWords(takeBack.error)}</Notice>}
    </Dialog>
  );
}

/** Everything that is made of the sweep's runs is read again. */
function effects(word: string, onDone: () => void) {
  const toast = ({ numRuns }: { numRuns: number }) => `${formatCount(numRuns, "run")} ${word}`;
  return { toast, onDone, stale: "everything", showsError: true } as const;
}
