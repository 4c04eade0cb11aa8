import dynamic from "next/dynamic";
import { type ReactNode, useState } from "react";
import { formatCount } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { buttonClasses } from "#app/_ui/Button.tsx";
import { classes } from "#app/_ui/classes.ts";
import { Icon, type IconName } from "#app/_ui/Icon.tsx";
import { Popover } from "#app/_ui/Popover.tsx";
import { useRefusal } from "#app/_ui/refusals.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Notice } from "#app/_ui/Notice.tsx";

const StateDialog = dynamic(
  () => import("#app/_components/stating/StateDialog.tsx").then((module) => module.StateDialog),
  { ssr: false },
);

const AskElsewhere = dynamic(() => import("#app/_components/AskElsewhere.tsx").then((module) => module.AskElsewhere), {
  ssr: false,
});

type Props = { ids: string[]; columns: readonly string[]; onDeleted: () => void };

/** Menu with rare actions on the selected runs; frequent actions are buttons beside the menu. */
export function MoreOfSelection({ ids, columns, onDeleted }: Props) {
  const [asking, setAsking] = useState<"state" | "delete" | "elsewhere">();
  const { archive, retry } = useRunActions();
  const refusal = useRefusal("change");
  return (
    <>
      <Popover
        label="More actions"
        button={<Icon name="more" />}
        buttonClassName={classes(buttonClasses(), "px-2")}
        isMenu
      >
        {(close) => {
          const item = (icon: IconName, title: ReactNode, act: () => void) => (
            <MenuItem icon={icon} disabled={refusal !== undefined} title={refusal} onClick={() => (close(), act())}>
              {title}
            </MenuItem>
          );
          return (
            <div className="flex flex-col">
              {item("question", "Set method", () => setAsking("state"))}
              {item("play", "Evaluate elsewhere", () => setAsking("elsewhere"))}
              {item("archive", "Archive", () => archive.mutate({ ids, isArchived: true }))}
              {item("archive", "Unarchive", () => archive.mutate({ ids, isArchived: false }))}
              {item("retry", "Retry", () => retry.mutate({ ids }))}
              <Downloads ids={ids} columns={columns} onDone={close} />
              {item("trash", "Delete", () => setAsking("delete"))}
            </div>
          );
        }}
      </Popover>
      {/* The dialogs are outside the menu, which closes when a dialog opens. */}
      {asking === "state" && <StateDialog scope={{ runIds: ids }} onClose={() => setAsking(undefined)} />}
      {asking === "elsewhere" && <AskElsewhere scope={{ runIds: ids }} open onClose={() => setAsking(undefined)} />}
      <DeleteRuns ids={ids} isAsking={asking === "delete"} onAsked={() => setAsking(undefined)} onDone={onDeleted} />
    </>
  );
}

/** Downloads the selected runs with the visible columns, by posting a form, because a URL would be too long. */
function Downloads({ ids, columns, onDone }: Pick<Props, "ids" | "columns"> & { onDone: () => void }) {
  return (
    <form action="/api/run-table" method="post" className="flex flex-col" onSubmit={onDone}>
      <input type="hidden" name="ids" value={ids.join("\n")} aria-hidden="true" />
      <input type="hidden" name="columns" value={columns.join("\n")} aria-hidden="true" />
      <MenuItem icon="download" type="submit" name="format" value="csv">
        Download as CSV
      </MenuItem>
      <MenuItem icon="download" type="submit" name="format" value="parquet">
        Download as Parquet
      </MenuItem>
    </form>
  );
}

function MenuItem({ icon, children, ...button }: { icon: IconName } & React.ComponentProps<"button">) {
  return (
    <button type="button" className={classes(buttonClasses("quiet"), "justify-start text-text")} {...button}>
      <Icon name={icon} /> {children}
    </button>
  );
}

function useRunActions() {
  const trpc = useTrpc();
  const stale = [trpc.runTable.pathFilter(), trpc.run.pathFilter()];
  const archive = useAction(trpc.runTable.mark.mutationOptions(), {
    stale,
    toast: ({ numRuns }, { isArchived }) => `${formatCount(numRuns, "run")} ${isArchived ? "archived" : "unarchived"}`,
  });
  const retry = useAction(trpc.runTable.retry.mutationOptions(), {
    stale,
    toast: ({ numDone, refused }) =>
      `${formatCount(numDone, "run")} will be retried${refused[0] ? `; ${formatCount(refused.length, "run")} cannot be retried: ${refused[0].message}` : ""}`,
  });
  return { archive, retry };
}

type DeleteRunsProps = {
  ids: string[];
  isAsking: boolean;
  /** Called when the dialog closes, after confirmation or cancellation. */
  onAsked: () => void;
  onDone: () => void;
};

function DeleteRuns({ ids, isAsking, onAsked, onDone }: DeleteRunsProps) {
  const trpc = useTrpc();
  const remove = useAction(trpc.runTable.delete.mutationOptions(), {
    stale: "everything",
    showsError: true,
    toast: ({ numRuns }) => `${formatCount(numRuns, "run")} deleted`,
    onDone: () => {
      onAsked();
      onDone();
    },
  });
  return (
    <Dialog
      open={isAsking}
      title={`Delete ${formatCount(ids.length, "run")}?`}
      onClose={onAsked}
      footer={
        <ActionButton kind="danger" disabled={remove.isPending} onClick={() => remove.mutate({ ids })}>
          Delete {formatCount(ids.length, "run")}
        </ActionButton>
      }
    >
      <p>
        Deletes the measurements of these runs. Tables with these runs can then no longer be verified. To keep the
        measurements, archive the runs instead. The files of deleted runs stay in the state folder.
      </p>
      {remove.error && (
        <div className="mt-3">
          <Notice tone="bad">{errorWords(remove.error)}</Notice>
        </div>
      )}
    </Dialog>
  );
}
