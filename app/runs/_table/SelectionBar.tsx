import { useQuery } from "@tanstack/react-query";
import { maxSweepsTogether } from "#server/domain/plan/sweep/maxSweeps.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Field, TextField } from "#app/_ui/Field.tsx";
import { TextArea } from "#app/_ui/Input.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { pages } from "#server/domain/pages.ts";
import { ButtonLink, Link } from "#app/_ui/Link.tsx";
import { useId, useState } from "react";
import { formatCount } from "#app/_charts/format.ts";
import { comparePath, maxCompared } from "#app/_components/comparePath.ts";
import { ShareButton } from "#app/_components/sharing/ShareButton.tsx";
import { Button, buttonClasses } from "#app/_ui/Button.tsx";
import { MoreOfSelection } from "./MoreOfSelection.tsx";
import type { Selection } from "./useSelection.ts";

type Props = {
  selection: Selection;
  total: number;
  columns: readonly string[];
  onAll: () => void;
  areChartsOpen: boolean;
  onCharts: (areOpen: boolean) => void;
};

/** Maximum number of run ids in a URL. */
const maxInAddress = 250;

export function SelectionBar({ selection, total, columns, onAll, areChartsOpen, onCharts }: Props) {
  const [marking, setMarking] = useState<"tags" | "note">();
  const ids = [...selection.ids.keys()];
  const sweepIds = [...new Set(selection.ids.values())];
  return (
    <div
      role="toolbar"
      aria-label="Selected runs"
      // On a phone, one row scrolls sideways, because five rows would move the table too far down.
      className="mb-2 flex flex-wrap items-center gap-1.5 max-md:flex-nowrap max-md:overflow-x-auto max-md:pb-1 max-md:whitespace-nowrap max-md:*:shrink-0"
    >
      <span className="mr-1 font-medium">{formatCount(ids.length, "run")} selected</span>
      {ids.length < total && <Button onClick={onAll}>Select all {total.toLocaleString("en-US")}</Button>}
      <Button kind="quiet" onClick={() => selection.replace([])}>
        Clear
      </Button>
      <Button aria-pressed={areChartsOpen} onClick={() => onCharts(!areChartsOpen)}>
        Charts
      </Button>
      {ids.length <= maxCompared && <ButtonLink href={comparePath(ids)}>Compare</ButtonLink>}
      {sweepIds.length <= maxSweepsTogether && (
        <Link
          className={buttonClasses()}
          href={`${pages.compare}?${sweepIds.map((id) => `sweep=${encodeURIComponent(id)}`).join("&")}`}
        >
          {sweepIds.length === 1 ? "Compare the whole sweep" : "Compare the whole sweeps"}
        </Link>
      )}
      {ids.length <= maxInAddress && (
        <Link
          className={buttonClasses()}
          href={`${pages.hyperparameters}?run=${ids.map(encodeURIComponent).join(",")}`}
        >
          Hyperparameters
        </Link>
      )}
      <Button onClick={() => setMarking("tags")}>Tags</Button>
      <Button onClick={() => setMarking("note")}>Note</Button>
      <ShareButton
        shared={{ kind: "selection", runIds: ids, columns: [...columns] }}
        what={`a table of these ${formatCount(ids.length, "run")}`}
      />
      <MoreOfSelection ids={ids} columns={columns} onDeleted={() => selection.replace([])} />
      <MarkDialog kind={marking} ids={ids} onClose={() => setMarking(undefined)} />
    </div>
  );
}

type MarkDialogProps = { kind: "tags" | "note" | undefined; ids: string[]; onClose: () => void };

function MarkDialog({ kind, ids, onClose }: MarkDialogProps) {
  const trpc = useTrpc();
  const id = useId();
  const mark = useAction(trpc.runTable.mark.mutationOptions(), {
    stale: [trpc.runTable.pathFilter()],
    showsError: true,
    toast: ({ numRuns }) => `${formatCount(numRuns, "run")} marked`,
    onDone: onClose,
  });
  return (
    <Dialog
      open={kind !== undefined}
      title={`${kind === "note" ? "Note of" : "Tags of"} ${formatCount(ids.length, "run")}`}
      onClose={onClose}
      footer={
        <ActionButton kind="primary" type="submit" form={id} disabled={mark.isPending}>
          Save
        </ActionButton>
      }
    >
      {kind === "tags" && <TagForm id={id} onMark={(tags) => mark.mutate({ ids, ...tags })} />}
      {kind === "note" && <NoteForm id={id} onNote={(note) => mark.mutate({ ids, note })} />}
      {mark.error && <Notice tone="bad">{errorWords(mark.error)}</Notice>}
    </Dialog>
  );
}

type Tags = { addTags: string[]; removeTags: string[] };

function TagForm({ id, onMark }: { id: string; onMark: (tags: Tags) => void }) {
  const trpc = useTrpc();
  const [add, setAdd] = useState("");
  const [remove, setRemove] = useState("");
  const { data: known } = useQuery(trpc.runTable.values.queryOptions({ field: "tags", text: "" }));
  return (
    <form
      id={id}
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        onMark({ addTags: splitTags(add), removeTags: splitTags(remove) });
      }}
    >
      <TextField
        label="Add"
        hint="Separate tags by commas."
        value={add}
        onChange={({ target }) => setAdd(target.value)}
      />
      <TextField label="Remove" value={remove} onChange={({ target }) => setRemove(target.value)} />
      {known && known.length > 0 && (
        <p className="text-sm text-muted">In use: {known.map(({ value }) => value).join(", ")}</p>
      )}
    </form>
  );
}

function NoteForm({ id, onNote }: { id: string; onNote: (note: string) => void }) {
  const [note, setNote] = useState("");
  return (
    <form
      id={id}
      onSubmit={(event) => {
        event.preventDefault();
        onNote(note);
      }}
    >
      <Field label="Note" hint="Replaces the notes of these runs. Leave the field empty to delete the notes.">
        {(wiring) => <TextArea {...wiring} rows={6} value={note} onChange={({ target }) => setNote(target.value)} />}
      </Field>
    </form>
  );
}

function splitTags(text: string): string[] {
  const tags = text.split(",").map((tag) => tag.trim());
  return tags.filter((tag) => tag !== "");
}
