"use client";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { formatCount } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Field } from "#app/_ui/Field.tsx";
import { Input, TextArea } from "#app/_ui/Input.tsx";
import { Notice } from "#app/_ui/Notice.tsx";

type Props = { kind: "tags" | "note" | undefined; ids: string[]; onClose: () => void };

/** Adds and removes tags of the selected runs, or sets one note for all of them. */
export function MarkDialog({ kind, ids, onClose }: Props) {
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
      <Field label="Add" hint="Separate tags by commas.">
        {(wiring) => <Input {...wiring} value={add} onChange={({ target }) => setAdd(target.value)} />}
      </Field>
      <Field label="Remove">
        {(wiring) => <Input {...wiring} value={remove} onChange={({ target }) => setRemove(target.value)} />}
      </Field>
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
      <Field label="Note" hint="Replaces the notes of these runs. Leave it empty to delete them.">
        {(wiring) => <TextArea {...wiring} rows={6} value={note} onChange={({ target }) => setNote(target.value)} />}
      </Field>
    </form>
  );
}

function splitTags(text: string): string[] {
  const tags = text.split(",").map((tag) => tag.trim());
  return tags.filter((tag) => tag !== "");
}
