"use client";

import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Field } from "#app/_ui/Field.tsx";
import { Form, Input, TextArea } from "#app/_ui/Input.tsx";
import { Notice } from "#app/_ui/Notice.tsx";

type Props = {
  kind: "run" | "sweep";
  id: string;
  marks: { tags: readonly string[]; note: string };
  onClose: () => void;
};

export function MarksDialog({ kind, id, marks, onClose }: Props) {
  const trpc = useTrpc();
  const formId = useId();
  const [tags, setTags] = useState(marks.tags.join(", "));
  const [note, setNote] = useState(marks.note);
  const { data: known = [] } = useQuery(trpc.runTable.values.queryOptions({ field: "tags", text: "" }));
  const write = useAction(trpc.marks.write.mutationOptions(), {
    stale: [trpc.marks.pathFilter(), trpc.sweep.pathFilter(), trpc.runTable.pathFilter(), trpc.palette.pathFilter()],
    showsError: true,
    onDone: onClose,
  });
  return (
    <Dialog
      open
      title={`Tags and note of this ${kind}`}
      onClose={onClose}
      footer={
        <ActionButton kind="primary" type="submit" form={formId} disabled={write.isPending}>
          Save
        </ActionButton>
      }
    >
      <Form
        id={formId}
        className="space-y-3"
        onSubmit={() => write.mutate({ kind, id, ...prepareMarking(marks, { tags, note }) })}
      >
        <Field
          label="Tags"
          hint={`Separate tags by commas.${known.length > 0 ? ` In use: ${known.map(({ value }) => value).join(", ")}` : ""}`}
        >
          {(wiring) => <Input {...wiring} value={tags} onChange={({ target }) => setTags(target.value)} />}
        </Field>
        <Field label="Note" hint="Markdown: **bold**, `code`, lists, tables, links.">
          {(wiring) => <TextArea {...wiring} rows={10} value={note} onChange={({ target }) => setNote(target.value)} />}
        </Field>
        {write.error && <Notice tone="bad">{errorWords(write.error)}</Notice>}
      </Form>
    </Dialog>
  );
}

type Marks = { tags: readonly string[]; note: string };
type Marking = { addTags?: string[]; removeTags?: string[]; note?: string };

/** Returns only what the user changed in the form, so that simultaneous changes by others are kept. */
export function prepareMarking(before: Marks, form: { tags: string; note: string }): Marking {
  const tags = form.tags
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
  const addTags = tags.filter((tag) => !before.tags.includes(tag));
  const removeTags = before.tags.filter((tag) => !tags.includes(tag));
  return {
    ...(addTags.length > 0 && { addTags }),
    ...(removeTags.length > 0 && { removeTags }),
    ...(form.note !== before.note && { note: form.note }),
  };
}
