import dynamic from "next/dynamic";
import { useState } from "react";
import { formatCount } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import {
  canAddSeeds,
  countHoles,
  describeSeeds,
  type LaunchedSweep,
  listOpenAdded,
  seedEffects,
} from "#app/_components/seeds/prepareSeeds.ts";

// Dynamic import: the code that expands plans into runs is loaded when the user adds seeds.
const AskToAdd = dynamic(() => import("#app/_components/seeds/AskToAdd.tsx").then((module) => module.AskToAdd));

export function SeedActions({ sweep, grid }: LaunchedSweep) {
  const [asking, setAsking] = useState<"add" | "fill" | "takeBack">();
  const numHoles = countHoles(grid);
  const open = listOpenAdded(grid.runs);
  const canAdd = canAddSeeds(sweep);
  const close = () => setAsking(undefined);
  return (
    <>
      {canAdd && numHoles > 0 && (
        <ActionButton
          title="Adds the missing runs, so that all configurations have the same seeds"
          onClick={() => setAsking("fill")}
        >
          <Icon name="grid" /> Add {formatCount(numHoles, "missing run")}
        </ActionButton>
      )}
      {canAdd && (
        <ActionButton
          title="Adds the next seed to every configuration, and the missing runs of earlier seeds"
          onClick={() => setAsking("add")}
        >
          <Icon name="plus" /> Add a seed
        </ActionButton>
      )}
      {open.length > 0 && sweep.intent !== "cancel" && (
        <ActionButton onClick={() => setAsking("takeBack")}>
          <Icon name="stop" /> Remove {describeSeeds(open.map(({ seed }) => seed))}
        </ActionButton>
      )}
      {sweep.plan && asking !== undefined && asking !== "takeBack" && (
        <AskToAdd sweep={sweep} plan={sweep.plan} grid={grid} numNew={asking === "add" ? 1 : 0} onClose={close} />
      )}
      {asking === "takeBack" && <AskToTakeBack sweepId={sweep.id} runs={open} onClose={close} />}
    </>
  );
}

type TakingBack = { sweepId: string; runs: readonly { seed: number; status: string }[]; onClose: () => void };

function AskToTakeBack({ sweepId, runs, onClose }: TakingBack) {
  const trpc = useTrpc();
  const takeBack = useAction(trpc.run.takeBackSeeds.mutationOptions(), seedEffects("being cancelled", onClose));
  const numLive = runs.filter(({ status }) => status !== "pending").length;
  return (
    <Dialog
      open
      title="Remove the added runs?"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Keep the runs</Button>
          <Button kind="danger" disabled={takeBack.isPending} onClick={() => takeBack.mutate({ sweepId })}>
            Cancel {formatCount(runs.length, "added run")}
          </Button>
        </>
      }
    >
      <p>
        {formatCount(runs.length, "run")} of {describeSeeds(runs.map(({ seed }) => seed))}, of which {numLive}{" "}
        {numLive === 1 ? "has" : "have"} started. After removal, these runs no longer count in tables and figures. Their
        pages and measurements stay. If the seed is added again, the runs continue where they stopped.
      </p>
      {takeBack.error && <Notice tone="bad">{errorWords(takeBack.error)}</Notice>}
    </Dialog>
  );
}
