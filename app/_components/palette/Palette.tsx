"use client";

import { keepPreviousData, skipToken, useQuery } from "@tanstack/react-query";
import { Command, defaultFilter } from "cmdk";
import { usePathname } from "next/navigation";
import { type ReactNode, useCallback, useDeferredValue, useEffect, useState } from "react";
import { isOver, overStatuses } from "#server/domain/runs/runStatus.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useModal } from "#app/_ui/Dialog.tsx";
import {
  entriesOfPage,
  type Entry,
  fixedEntries,
  type PaletteAction,
  reportEntry,
  runEntry,
  splitVerb,
  sweepEntries,
} from "./entries.ts";
import { useGo } from "#app/_ui/useSelection.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { setTheme } from "../header/theme.ts";
import { reportPage, type Subject, subjectOf } from "#server/domain/pages.ts";

type Props = {
  /** Returns the text typed before the command palette was shown; later keys go to its search field. */
  takeTyped: () => string;
  onClose: () => void;
  onKeys: () => void;
  onCancel: (of: Subject) => void;
};

/** Command palette: finds pages and actions by name, and on the server sweeps, runs and reports. */
export function Palette({ takeTyped, onClose, onKeys, onCancel }: Props) {
  const [text, setText] = useState("");
  const takeOver = useCallback(() => setText((since) => takeTyped() + since), [takeTyped]);
  const { groups, total, error, isSearching } = useGroups(text);
  const perform = usePerform({ onClose, onKeys, onCancel });
  const [picked, setPicked] = useChoice(groups);
  return (
    <ModalFrame onClose={onClose} onFocused={takeOver}>
      <Command
        label="Search and commands"
        shouldFilter={false}
        loop
        value={picked}
        onValueChange={setPicked}
        className="flex max-h-[inherit] flex-col"
      >
        <div className="flex items-center border-b border-line">
          <Command.Input
            value={text}
            onValueChange={setText}
            placeholder="Sweep, run, page or action"
            maxLength={200}
            className="min-w-0 flex-1 bg-transparent px-4 py-3 text-base outline-none placeholder:text-muted"
          />
          <button
            type="button"
            onClick={onClose}
            aria-label="Esc, close"
            className="mr-2 rounded border border-edge/60 px-1.5 py-0.5 text-xs text-muted hover:text-text"
          >
            Esc
          </button>
        </div>
        <Command.List label="Found" className="min-h-0 flex-1 overflow-y-auto p-2">
          {!isSearching && (
            <Command.Empty className="px-2 py-4 text-muted">
              {error === null ? "No matches. Words may be shortened: skbn finds sokoban." : errorWords(error)}
            </Command.Empty>
          )}
          {groups.map(({ heading, entries }) => (
            <Command.Group
              key={heading}
              heading={heading}
              className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-muted"
            >
              {entries.map((entry) => (
                <EntryItem key={entry.id} entry={entry} onPick={() => perform(entry.action)} />
              ))}
            </Command.Group>
          ))}
        </Command.List>
        <p role="status" className="border-t border-line px-4 py-2 text-xs text-muted">
          {isSearching ? "Searching …" : describeTotal(groups, total)}
        </p>
      </Command>
    </ModalFrame>
  );
}

function EntryItem({ entry: { id, title, detail }, onPick }: { entry: Entry; onPick: () => void }) {
  return (
    <Command.Item
      value={id}
      onSelect={onPick}
      className="flex cursor-pointer items-baseline gap-3 rounded-md px-2 py-1.5 data-[selected=true]:bg-sunken"
    >
      <span className="min-w-0 truncate">{title}</span>
      {detail && <span className="ml-auto shrink-0 truncate text-xs text-muted max-sm:max-w-[45%]">{detail}</span>}
    </Command.Item>
  );
}

type Group = { heading: string; entries: Entry[] };

function describeTotal(groups: readonly Group[], total: number): string {
  const shown = groups.find(({ heading }) => heading === "Runs")?.entries.length ?? 0;
  if (total > shown)
    return `${shown} of ${total.toLocaleString("en-US")} runs shown; type more words to narrow the search`;
  return "↑ ↓ choose, Enter opens, Esc closes";
}

function useGroups(text: string) {
  const trpc = useTrpc();
  const path = usePathname();
  const known = useKnown(path);
  // A deferred value lets React draw the typed letter before it searches.
  const searched = splitVerb(useDeferredValue(text).trim());
  const { data, error, isFetching } = useQuery(
    trpc.palette.search.queryOptions({ text: searched.rest.slice(0, 200) }, { placeholderData: keepPreviousData }),
  );
  const found = (data?.sweeps ?? []).map(sweepEntries);
  const runs = searched.verb === undefined ? (data?.runs ?? []).map(runEntry) : [];
  const ofSweeps = found.flatMap(({ actions }) => actions);
  const named = splitNamed(searched.verb === undefined ? found.map(({ go }) => go) : [], searched.rest);
  const groups: Group[] = [
    { heading: "On this page", entries: matchEntries(entriesOfPage(path, known), text) },
    { heading: "Sweeps", entries: named.exact },
    { heading: "Actions", entries: [...(text === "" ? [] : ofSweeps), ...matchEntries(fixedEntries.actions, text)] },
    { heading: "Pages", entries: matchEntries(fixedEntries.pages, text) },
    { heading: "Sweeps with similar names", entries: named.similar },
    { heading: "Reports", entries: searched.verb === undefined ? (data?.reports ?? []).map(reportEntry) : [] },
    { heading: "Runs", entries: runs },
  ];
  const shown = groups.filter(({ entries }) => entries.length > 0);
  return { groups: shown, total: runs.length > 0 ? (data?.total ?? 0) : 0, error, isSearching: isFetching };
}

/** Returns the state of the sweep or run whose page is open; undefined on other pages, or while it loads. */
function useKnown(path: string) {
  const trpc = useTrpc();
  const subject = subjectOf(path);
  const id = subject?.id ?? "";
  const { data: marks } = useQuery(trpc.marks.of.queryOptions(subject ?? skipToken));
  const { data: run } = useQuery(trpc.run.byId.queryOptions(subject?.kind === "run" ? { id } : skipToken));
  const { data: sweep } = useQuery(trpc.sweep.byId.queryOptions(subject?.kind === "sweep" ? { id } : skipToken));
  if (!marks) return undefined;
  const isRunOver = run?.status === "failed" || run?.status === "cancelled";
  const isOpen = sweep
    ? overStatuses.reduce((sum, status) => sum + sweep.counts[status], 0) < sweep.numRuns
    : run !== undefined && !isOver(run.status);
  const isCancelled = (sweep ?? run)?.intent === "cancel";
  const numToRetry = sweep ? sweep.counts.failed + sweep.counts.cancelled : isRunOver ? 1 : 0;
  const canRetry = (sweep?.origin ?? run?.sweep.origin) === "plan";
  return {
    isFavourite: marks.isFavourite,
    isArchived: marks.isArchived,
    numToRetry: canRetry ? numToRetry : 0,
    canCancel: canRetry && isOpen && !isCancelled,
  };
}

/** Returns the id of the result that Enter opens, and a setter; when a new result becomes the first, it is chosen. */
function useChoice(groups: readonly Group[]): [string, (id: string) => void] {
  const [choice, setChoice] = useState({ first: "", id: "" });
  const first = groups[0]?.entries[0]?.id ?? "";
  return [choice.first === first ? choice.id : first, (id) => setChoice({ first, id })];
}

type Frame = { onClose: () => void; onFocused: () => void; children: ReactNode };

function ModalFrame({ onClose, onFocused, children }: Frame) {
  const modal = useModal(true, onClose);
  const { ref } = modal;
  useEffect(() => {
    ref.current?.querySelector("input")?.focus();
    onFocused();
  }, [ref, onFocused]);
  return (
    <dialog
      {...modal}
      aria-label="Search and commands"
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget) onClose();
      }}
      className="mx-auto mt-[10dvh] max-h-[75dvh] w-[min(40rem,calc(100vw-1rem))] overflow-hidden rounded-lg border border-line bg-surface p-0 text-text backdrop:bg-black/40"
    >
      {children}
    </dialog>
  );
}

type On = { onClose: () => void; onKeys: () => void; onCancel: (of: Subject) => void };

/** Returns a function that performs an action. The palette closes first, so that the new page gets the focus. */
function usePerform({ onClose, onKeys, onCancel }: On) {
  const go = useGo();
  const trpc = useTrpc();
  const stale = [trpc.sweep.pathFilter(), trpc.palette.pathFilter()];
  const pause = useAction(trpc.sweep.pause.mutationOptions(), {
    toast: "Sweep paused: running runs continue, no new run starts",
    stale,
  });
  const resume = useAction(trpc.sweep.resume.mutationOptions(), { toast: "Resumed", stale });
  const report = useAction(trpc.report.createOfSweep.mutationOptions(), {
    stale: [trpc.report.list.queryFilter()],
    onDone: ({ id }) => go(reportPage(id)),
  });
  const mark = useAction(trpc.marks.write.mutationOptions(), { toast: "Done", stale: "everything" });
  const again = { toast: "One more attempt will start", stale: "everything" } as const;
  const retryRun = useAction(trpc.run.retry.mutationOptions(), again);
  const retrySweep = useAction(trpc.sweep.retry.mutationOptions(), again);
  return (action: PaletteAction): void => {
    if (action.kind === "keys") return onKeys();
    if (action.kind === "cancel") return onCancel(action.of);
    onClose();
    switch (action.kind) {
      case "open":
        return go(action.href);
      case "theme":
        return setTheme(action.theme);
      case "intent":
        return (action.intent === "pause" ? pause : resume).mutate({ id: action.sweepId });
      case "report":
        return report.mutate({ sweepId: action.sweepId });
      case "mark":
        return mark.mutate({ ...action.of, ...action.marks });
      case "retry":
        return (action.of.kind === "run" ? retryRun : retrySweep).mutate({ id: action.of.id });
      case "signOut":
        return document.querySelector<HTMLFormElement>('form[action="/api/sign-out"]')?.requestSubmit();
    }
  };
}

/** Separates entries whose titles contain every word of the text; the letters of others are only scattered. */
export function splitNamed(entries: readonly Entry[], text: string): { exact: Entry[]; similar: Entry[] } {
  const words = text.toLowerCase().split(/\s+/);
  const isExact = ({ title }: Entry) => words.every((word) => title.toLowerCase().includes(word));
  return { exact: entries.filter(isExact), similar: entries.filter((entry) => !isExact(entry)) };
}

/** Returns the matching entries by descending score of cmdk; for an empty text all entries, in order. */
export function matchEntries(entries: readonly Entry[], text: string): Entry[] {
  const words = text.trim();
  if (words === "") return [...entries];
  const scored = entries.map((entry) => ({
    entry,
    score: defaultFilter(entry.title, words, [...(entry.keywords ?? []), ...(entry.detail ?? "").split(/[\s,]+/)]),
  }));
  // At a lower score, the letters of the search are only scattered over the entry's title.
  const found = scored.filter(({ score }) => score > 0.05);
  return found.toSorted((a, b) => b.score - a.score).map(({ entry }) => entry);
}
