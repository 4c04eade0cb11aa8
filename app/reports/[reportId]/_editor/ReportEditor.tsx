"use client";
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { Field } from "#app/_ui/Field.tsx";
import { Input, TextArea } from "#app/_ui/Input.tsx";
import { ConflictNotice } from "./ConflictNotice.tsx";
import { blockNames, insertBlock, startOfLine, type BlockName } from "./insertBlock.ts";
import type { SaveStatus } from "./makeAutosave.ts";
import { Preview } from "./Preview.tsx";
import { useDraft } from "./useDraft.ts";

type Props = { report: { id: string; title: string; body: string; revision: number; frozenAt: Date | null } };

const words: Record<SaveStatus, string> = {
  saved: "Saved",
  unsaved: "Not saved yet",
  saving: "Saving …",
  failed: "Not saved: retrying",
  conflict: "Not saved: changed elsewhere",
};

/** Text and preview side by side; saves automatically after a pause in typing. */
export function ReportEditor({ report }: Props) {
  const trpc = useTrpc();
  const area = useRef<HTMLTextAreaElement>(null);
  const { draft, change, status } = useDraft(report);
  const { data: sweeps } = useQuery(trpc.sweep.list.queryOptions());
  const select = (cursor: number) => {
    // After React has inserted the new text.
    requestAnimationFrame(() => {
      area.current?.focus();
      area.current?.setSelectionRange(cursor, cursor);
    });
  };
  const insert = (name: BlockName) => {
    const at = area.current?.selectionStart ?? draft.body.length;
    const inserted = insertBlock(draft.body, at, { name, sweepId: sweeps?.[0]?.id ?? "ID-OF-A-SWEEP" });
    change({ ...draft, body: inserted.text });
    select(inserted.cursor);
  };
  return (
    <>
      {status === "conflict" && <ConflictNotice id={report.id} draft={draft} />}
      <div className="grid gap-4 lg:grid-cols-2">
        <section aria-label="Text" className="min-w-0 space-y-3">
          <Field label="Title">
            {(wiring) => (
              <Input
                {...wiring}
                maxLength={200}
                value={draft.title}
                onChange={({ target }) => change({ ...draft, title: target.value })}
              />
            )}
          </Field>
          <BlockMenu onInsert={insert} />
          <Field label="Text" hint="Markdown, # for a section; a block is lines of name: value between ``` marks.">
            {(wiring) => (
              <TextArea
                {...wiring}
                ref={area}
                rows={30}
                spellCheck
                className="font-mono text-sm leading-5"
                value={draft.body}
                onChange={({ target }) => change({ ...draft, body: target.value })}
              />
            )}
          </Field>
          <Saved status={status} hasTitle={draft.title.trim() !== ""} />
        </section>
        <Preview
          body={draft.body}
          isFrozen={report.frozenAt !== null}
          onLine={(line) => select(startOfLine(draft.body, line))}
        />
      </div>
    </>
  );
}

function BlockMenu({ onInsert }: { onInsert: (name: BlockName) => void }) {
  return (
    <div role="toolbar" aria-label="Insert a block" className="flex flex-wrap items-center gap-1.5">
      <span className="text-sm text-muted">Insert</span>
      {blockNames.map((name) => (
        <Button key={name} className="min-h-7 px-2 py-0.5 text-sm" onClick={() => onInsert(name)}>
          {name}
        </Button>
      ))}
    </div>
  );
}

function Saved({ status, hasTitle }: { status: SaveStatus; hasTitle: boolean }) {
  return (
    <p role="status" className={status === "failed" || status === "conflict" ? "text-bad" : "text-sm text-muted"}>
      {hasTitle ? words[status] : "Not saved: a report has a title"}
    </p>
  );
}
