"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { TRPCClientError } from "@trpc/client";
import { useEffect, useRef, useState } from "react";
import { useTrpc, useTrpcClient } from "#app/_trpc/client.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { Field, TextField } from "#app/_ui/Field.tsx";
import { TextArea } from "#app/_ui/Input.tsx";
import { type Autosave, type Draft, makeAutosave, type SaveStatus } from "./makeAutosave.ts";
import { reportPage } from "#server/domain/pages.ts";
import { useGo } from "#app/_ui/useSelection.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "#server/api/root.ts";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { ReportHtml } from "#app/_components/ReportHtml.tsx";

type Props = { report: { id: string; title: string; body: string; revision: number; frozenAt: Date | null } };

const words: Record<SaveStatus, string> = {
  saved: "Saved",
  unsaved: "Not saved yet",
  saving: "Saving …",
  failed: "Not saved: retrying",
  conflict: "Not saved: changed elsewhere",
};

export function ReportEditor({ report }: Props) {
  const trpc = useTrpc();
  const area = useRef<HTMLTextAreaElement>(null);
  const { draft, change, status } = useDraft(report);
  const { data: sweeps } = useQuery(trpc.sweep.list.queryOptions());
  const select = (cursor: number) => {
    // Waits until React has inserted the new text.
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
          <TextField
            label="Title"
            maxLength={200}
            value={draft.title}
            onChange={({ target }) => change({ ...draft, title: target.value })}
          />
          <BlockMenu onInsert={insert} />
          <Field
            label="Text"
            hint="Markdown. # starts a section. A block inserts a figure or table, and consists of “name: value” lines between ``` marks."
          >
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
      {hasTitle ? words[status] : "Not saved: enter a title"}
    </p>
  );
}

/** Notice that somebody else saved the report, with buttons that save a copy or open the saved version. */
function ConflictNotice({ id, draft }: { id: string; draft: Draft }) {
  const trpc = useTrpc();
  const go = useGo();
  const copy = useAction(trpc.report.create.mutationOptions(), {
    stale: [trpc.report.list.queryFilter()],
    toast: "Saved as a new report",
    onDone: (created) => go(`${reportPage(created.id)}?edit=on`),
  });
  return (
    <Notice tone="warn">
      <p>
        This report was changed elsewhere after you opened it, perhaps in another tab. Your changes since then are only
        on this page.
      </p>
      <p className="mt-2 flex flex-wrap gap-2">
        <ActionButton
          kind="primary"
          disabled={copy.isPending}
          onClick={() => copy.mutate({ ...draft, title: `${draft.title} (copy)`.slice(0, 200) })}
        >
          Save my version as a copy
        </ActionButton>
        <a className="self-center text-accent underline" href={reportPage(id)} target="_blank" rel="noopener">
          View the saved version
        </a>
      </p>
    </Notice>
  );
}

type Shown = inferRouterOutputs<AppRouter>["report"]["preview"];
type PreviewProps = { body: string; isFrozen: boolean; onLine: (line: number) => void };

const pauseMs = 600;

function Preview({ body, isFrozen, onLine }: PreviewProps) {
  const client = useTrpcClient();
  const [shown, setShown] = useState<Shown>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const stopping = new AbortController();
    const render = async () => {
      try {
        setShown(await client.report.preview.mutate({ body }, { signal: stopping.signal }));
        setProblem(undefined);
      } catch (error) {
        if (!stopping.signal.aborted) setProblem(errorWords(error));
      }
    };
    const timer = setTimeout(() => void render(), pauseMs);
    return () => {
      clearTimeout(timer);
      stopping.abort();
    };
  }, [body, client]);
  return (
    <section aria-label="Preview" className="min-w-0">
      <h2 className="mb-2 font-semibold">Preview</h2>
      {isFrozen && <Notice tone="warn">The preview shows live figures. The report itself shows frozen figures.</Notice>}
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      {shown && shown.problems.length > 0 && (
        <ul aria-label="Problems" className="mb-3 space-y-1 text-sm text-bad">
          {shown.problems.map(({ line, message }) => (
            <li key={`${line} ${message}`}>
              <button type="button" className="underline" onClick={() => onLine(line)}>
                Line {line}
              </button>
              : {message}
            </li>
          ))}
        </ul>
      )}
      {shown ? <ReportHtml html={shown.html} /> : <p className="text-muted">Loading…</p>}
    </section>
  );
}

const fields = {
  Headline: ["headline", (sweep: string) => [`sweep: ${sweep}`]],
  Chart: ["chart", (sweep: string) => [`sweep: ${sweep}`, "metric: evaluation/successRate"]],
  Table: ["table", (sweep: string) => [`sweep: ${sweep}`, "kind: final"]],
  Analysis: ["analysis", (sweep: string) => [`sweep: ${sweep}`, "question: claims"]],
  Runs: ["runs", () => ["filter: ", "columns: method, environment, seed, state, stability", "limit: 20"]],
  Episode: ["episode", (sweep: string) => [`run: ${sweep}-c0-s0`]],
  Settings: ["settings", (sweep: string) => [`sweep: ${sweep}`]],
} as const;
type BlockName = keyof typeof fields;
export const blockNames = ["Headline", "Chart", "Table", "Analysis", "Runs", "Episode", "Settings"] as const;

/** Inserts a block below the cursor's line, about the last sweep named above the block, or else the given sweep. */
export function insertBlock(
  text: string,
  cursor: number,
  { name, sweepId }: { name: BlockName; sweepId: string },
): { text: string; cursor: number } {
  const end = text.indexOf("\n", cursor);
  const before = (end < 0 ? text : text.slice(0, end)).trimEnd();
  const after = end < 0 ? "" : text.slice(end).trimStart();
  const named = [...before.matchAll(/^sweep:\s*([^\s,]+)/gm)].at(-1)?.[1];
  const [kind, lines] = fields[name];
  const block = ["```" + kind, ...lines(named ?? sweepId), "```"].join("\n");
  const head = before === "" ? block : `${before}\n\n${block}`;
  return { text: `${head}\n\n${after}`, cursor: head.length };
}

/** Returns the offset of the start of a line; lines are counted from 1. */
export function startOfLine(text: string, line: number): number {
  return text.split("\n", line - 1).reduce((at, { length }) => at + length + 1, 0);
}

type Report = Draft & { id: string; revision: number };

/** Returns a report's draft, saved automatically. Leaving with unsaved text asks first, and saves if possible. */
function useDraft({ id, title, body, revision }: Report) {
  const trpc = useTrpc();
  const client = useTrpcClient();
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState<Draft>({ title, body });
  const [status, setStatus] = useState<SaveStatus>("saved");
  const autosave = useRef<Autosave>(undefined);
  const start = useRef(revision);
  useEffect(() => {
    const saver = makeAutosave({
      revision: start.current,
      save: async (written, from) => {
        const saved = await client.report.save.mutate({ id, revision: from, ...written });
        start.current = saved.revision;
        return saved.revision;
      },
      isConflict,
      onStatus: setStatus,
    });
    autosave.current = saver;
    const onLeave = (event: BeforeUnloadEvent) => {
      if (!saver.hasUnsaved()) return;
      saver.flush();
      event.preventDefault();
    };
    window.addEventListener("beforeunload", onLeave);
    return () => {
      window.removeEventListener("beforeunload", onLeave);
      saver.flush();
      saver.stop();
      // Refetches reports after 300 ms, by which the last save is usually stored.
      setTimeout(() => void queryClient.invalidateQueries(trpc.report.pathFilter()), 300);
    };
  }, [client, id, queryClient, trpc]);
  const change = (next: Draft) => {
    setDraft(next);
    if (next.title.trim() !== "") autosave.current?.change(next);
  };
  return { draft, change, status };
}

function isConflict(error: unknown): boolean {
  const data: unknown = error instanceof TRPCClientError ? error.data : undefined;
  return typeof data === "object" && data !== null && "code" in data && data.code === "CONFLICT";
}
