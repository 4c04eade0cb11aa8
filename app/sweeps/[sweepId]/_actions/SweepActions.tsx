import { useRouter } from "next/navigation";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { pages, reportPage } from "#server/domain/pages.ts";
import { Link } from "#app/_ui/Link.tsx";
import { useGo } from "#app/_ui/useSelection.ts";
import dynamic from "next/dynamic";
import { useState } from "react";
import { formatCount } from "#app/_charts/format.ts";
import { CancelButton } from "#app/_components/cancelling/CancelDialog.tsx";
import { StateButton } from "#app/_components/stating/StateButton.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Button, buttonClasses } from "#app/_ui/Button.tsx";
import { classes } from "#app/_ui/classes.ts";
import { Icon } from "#app/_ui/Icon.tsx";
import { Popover } from "#app/_ui/Popover.tsx";
import { useRefusal } from "#app/_ui/refusals.tsx";
import type { LaunchedSweep } from "#app/_components/seeds/prepareSeeds.ts";
import { SeedActions } from "./SeedActions.tsx";
import type { QueryFilters } from "@tanstack/react-query";

// Dynamic import: the code is loaded when the dialog is first opened.
const ShareDialog = dynamic(
  () => import("#app/_components/sharing/ShareDialog.tsx").then((module) => module.ShareDialog),
  { ssr: false },
);

type Props = Pick<LaunchedSweep, "sweep">;

export function SweepActions({ sweep, grid }: LaunchedSweep) {
  const { pending, starting, running, unknown } = sweep.counts;
  const numWaiting = pending + starting + running + unknown;
  const canChange = numWaiting > 0 && sweep.intent !== "cancel" && sweep.origin === "plan";
  return (
    <>
      {canChange && <PauseOrResume sweep={sweep} />}
      {sweep.origin === "plan" && (
        <>
          <Retry sweep={sweep} />
          <SeedActions sweep={sweep} grid={grid} />
        </>
      )}
      {sweep.origin !== "plan" && <StateButton scope={{ sweepIds: [sweep.id] }} />}
      {canChange && (
        <CancelButton of={{ kind: "sweep", id: sweep.id }} label="Cancel">
          {formatCount(starting + running + unknown, "running run")} will be stopped, and{" "}
          {formatCount(pending, "pending run")} will not start. All measurements are kept, and you can retry the runs.
        </CancelButton>
      )}
      <MoreActions sweep={sweep} canDelete={numWaiting === 0} />
    </>
  );
}

const menuItem = classes(buttonClasses("quiet"), "justify-start text-text");

/** Returns props that disable a menu item for people without permission, and state the reason. */
function useHeld(): { disabled?: boolean; title?: string } {
  const refusal = useRefusal("change");
  return refusal === undefined ? {} : { disabled: true, title: refusal };
}

function MoreActions({ sweep, canDelete }: Props & { canDelete: boolean }) {
  const [isDeleting, setDeleting] = useState(false);
  const [isSharing, setSharing] = useState(false);
  const held = useHeld();
  return (
    <>
      <Popover
        label="More actions"
        button={<Icon name="more" />}
        buttonClassName={classes(buttonClasses(), "px-2")}
        isMenu
      >
        {() => (
          <ul className="flex flex-col *:flex *:flex-col">
            <li>
              <MakeReport id={sweep.id} />
            </li>
            <li>
              <button type="button" className={menuItem} {...held} onClick={() => setSharing(true)}>
                <Icon name="info" /> Share a read-only link
              </button>
            </li>
            {sweep.origin === "plan" && (
              <li>
                <Link href={`${pages.newSweep}?from=${sweep.id}`} className={menuItem}>
                  <Icon name="copy" /> Duplicate as a new sweep
                </Link>
              </li>
            )}
            {canDelete && (
              <li>
                <button type="button" className={menuItem} {...held} onClick={() => setDeleting(true)}>
                  <Icon name="trash" /> Delete
                </button>
              </li>
            )}
          </ul>
        )}
      </Popover>
      {/* The dialogs are outside the menu, which closes when a dialog opens. */}
      {isSharing && (
        <ShareDialog
          shared={{ kind: "sweep", sweepId: sweep.id }}
          what="this sweep (results, curves, tables and settings)"
          onClose={() => setSharing(false)}
        />
      )}
      <DeleteSweep sweep={sweep} isAsking={isDeleting} onAsked={() => setDeleting(false)} />
    </>
  );
}

function PauseOrResume({ sweep: { id, intent } }: Props) {
  const trpc = useTrpc();
  const stale = useSweepQueries(id);
  const pause = useAction(trpc.sweep.pause.mutationOptions(), {
    toast: "Sweep paused: running runs continue, no new run starts",
    stale,
  });
  const resume = useAction(trpc.sweep.resume.mutationOptions(), { toast: "Resumed", stale });
  if (intent === "pause") {
    return (
      <ActionButton kind="primary" disabled={resume.isPending} onClick={() => resume.mutate({ id })}>
        <Icon name="play" /> Resume
      </ActionButton>
    );
  }
  return (
    <ActionButton disabled={pause.isPending} onClick={() => pause.mutate({ id })}>
      <Icon name="pause" /> Pause
    </ActionButton>
  );
}

function MakeReport({ id: sweepId }: { id: string }) {
  const trpc = useTrpc();
  const go = useGo();
  const held = useHeld();
  const create = useAction(trpc.report.createOfSweep.mutationOptions(), {
    stale: [trpc.report.list.queryFilter()],
    onDone: ({ id }) => go(reportPage(id)),
  });
  return (
    <button
      type="button"
      className={menuItem}
      disabled={create.isPending}
      {...held}
      onClick={() => create.mutate({ sweepId })}
    >
      <Icon name="plus" /> Make a report
    </button>
  );
}

function Retry({ sweep: { id, counts } }: Props) {
  const trpc = useTrpc();
  const retry = useAction(trpc.sweep.retry.mutationOptions(), {
    toast: "One more attempt of each run will start",
    stale: useSweepQueries(id),
  });
  const numOver = counts.failed + counts.cancelled;
  if (numOver === 0) return null;
  return (
    <ActionButton disabled={retry.isPending} onClick={() => retry.mutate({ id })}>
      <Icon name="retry" /> Retry {formatCount(numOver, "run")}
    </ActionButton>
  );
}

function useSweepQueries(id: string): QueryFilters[] {
  const trpc = useTrpc();
  return [trpc.sweep.byId.queryFilter({ id }), trpc.run.grid.queryFilter()];
}

type DeleteSweepProps = Props & {
  isAsking: boolean;
  /** Called when the dialog closes, after confirmation or cancellation. */
  onAsked: () => void;
};

function DeleteSweep({ sweep, isAsking, onAsked }: DeleteSweepProps) {
  const trpc = useTrpc();
  const router = useRouter();
  const remove = useAction(trpc.sweep.delete.mutationOptions(), {
    toast: `${sweep.name} is deleted`,
    stale: [trpc.sweep.list.queryFilter()],
    onDone: () => router.replace(pages.sweeps),
  });
  return (
    <Dialog
      open={isAsking}
      title="Delete this sweep?"
      onClose={onAsked}
      footer={
        <>
          <Button onClick={onAsked}>Keep the sweep</Button>
          <Button
            kind="danger"
            disabled={remove.isPending || remove.isSuccess}
            onClick={() => {
              onAsked();
              remove.mutate({ id: sweep.id });
            }}
          >
            Delete {sweep.name}
          </Button>
        </>
      }
    >
      {formatCount(sweep.numRuns, "run")} with {formatCount(sweep.iterationsDone, "iteration")} are deleted for good,
      with their curves, collapses and verdicts. Tables made from these runs can no longer be verified. The runs’
      folders, with logs and policies, stay on disk.
    </Dialog>
  );
}
