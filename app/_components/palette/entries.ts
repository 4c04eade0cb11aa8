import type { FoundReport, FoundRun, FoundSweep } from "#server/db/runs/palette.ts";
import {
  listedPages,
  pages,
  reportPage,
  runPage,
  runTablePage,
  subjectOf,
  sweepPage,
  type Subject,
} from "#server/domain/pages.ts";
import { formatCount } from "#packages/base";
import type { Theme } from "../header/theme.ts";

export type PaletteAction =
  | { kind: "open"; href: string }
  | { kind: "theme"; theme: Theme }
  | { kind: "intent"; sweepId: string; intent: "pause" | "resume" }
  | { kind: "report"; sweepId: string }
  | { kind: "mark"; of: Subject; marks: { isFavourite: boolean } | { isArchived: boolean } }
  | { kind: "retry"; of: Subject }
  /** Opens the dialog that asks for confirmation before the sweep or run is cancelled. */
  | { kind: "cancel"; of: Subject }
  | { kind: "keys" }
  | { kind: "signOut" };

export type Entry = {
  /** Id, unique among all entries of the command palette. */
  id: string;
  title: string;
  detail?: string;
  keywords?: readonly string[];
  action: PaletteAction;
};

const open = (href: string): PaletteAction => ({ kind: "open", href });

const listed: readonly Entry[] = listedPages.map(({ path, title, key, words }) => ({
  id: `page ${path}`,
  title,
  ...(key !== undefined && { detail: `g ${key}` }),
  ...(words && { keywords: words }),
  action: open(path),
}));

const actions: readonly Entry[] = [
  { id: "new sweep", title: "New sweep", keywords: ["launch", "create", "builder"], action: open(pages.newSweep) },
  { id: "import", title: "Import runs", keywords: ["upload", "logs"], action: open(`${pages.sweeps}?import=runs`) },
  {
    id: "export table",
    title: "Export a table",
    detail: "LaTeX, Markdown, HTML, CSV, JSON",
    keywords: ["paper"],
    action: open(pages.tables),
  },
  {
    id: "running",
    title: "Cancel a sweep or a run",
    detail: "running now",
    keywords: ["stop", "end", "abort"],
    action: open(runTablePage("state:running")),
  },
  {
    id: "collapsed",
    title: "Collapsed runs",
    detail: "in hindsight",
    keywords: ["stability"],
    action: open(runTablePage("hindsight:collapsed")),
  },
  { id: "export runs", title: "Export runs", detail: "CSV, Parquet", keywords: ["download"], action: open(pages.runs) },
  { id: "theme light", title: "Theme: light", keywords: ["bright"], action: { kind: "theme", theme: "light" } },
  { id: "theme dark", title: "Theme: dark", keywords: ["night"], action: { kind: "theme", theme: "dark" } },
  { id: "theme auto", title: "Theme: system", keywords: ["auto"], action: { kind: "theme", theme: "auto" } },
  { id: "keys", title: "Keyboard shortcuts", detail: "?", keywords: ["help", "shortcuts"], action: { kind: "keys" } },
  { id: "sign out", title: "Sign out", keywords: ["leave", "log out"], action: { kind: "signOut" } },
];

export const fixedEntries = { pages: listed, actions } as const;

const verbs = ["pause", "resume", "cancel"] as const;

/** Splits the user's text into a verb such as "pause" and the rest, a sweep's name; only the name is searched. */
export function splitVerb(text: string): { verb: (typeof verbs)[number] | undefined; rest: string } {
  const [, first = "", rest] = /^\s*(\w+)\s+(.*)$/.exec(text) ?? [];
  const verb = verbs.find((one) => one === first.toLowerCase());
  return verb === undefined || rest === undefined ? { verb: undefined, rest: text } : { verb, rest };
}

/** Returns the palette entry that opens a sweep and, if possible, the entries that pause or resume and cancel it. */
export function sweepEntries({ id, name, origin, intent, isOpen }: FoundSweep): { go: Entry; actions: Entry[] } {
  const go: Entry = {
    id: `sweep ${id}`,
    title: name,
    detail: isOpen ? "under way" : "",
    action: open(sweepPage(id)),
  };
  if (!isOpen || origin !== "plan" || intent === "cancel") return { go, actions: [] };
  const verb = intent === "pause" ? "resume" : "pause";
  const title = `${verb === "pause" ? "Pause" : "Resume"} ${name}`;
  return {
    go,
    actions: [
      { id: `${verb} ${id}`, title, action: { kind: "intent", sweepId: id, intent: verb } },
      { id: `cancel ${id}`, title: `Cancel ${name}`, action: { kind: "cancel", of: { kind: "sweep", id } } },
    ],
  };
}

export function reportEntry({ id, title }: FoundReport): Entry {
  return { id: `report ${id}`, title, detail: "report", action: open(reportPage(id)) };
}

export function runEntry({ id, sweepName, method, label, seed, status }: FoundRun): Entry {
  const name = [method, label].filter(Boolean).join(" · ");
  return {
    id: `run ${id}`,
    title: `${name}, seed ${seed}`,
    detail: `${sweepName}, ${status}`,
    action: open(runPage(id)),
  };
}

type KnownOfSubject = { isFavourite: boolean; isArchived: boolean; numToRetry: number; canCancel: boolean } | undefined;

export function entriesOfPage(path: string, known?: KnownOfSubject): Entry[] {
  const subject = subjectOf(path);
  if (subject === undefined) return [];
  return [...(subject.kind === "sweep" ? entriesOfSweep(subject.id) : []), ...entriesOfSubject(subject, known)];
}

function entriesOfSweep(sweepId: string): Entry[] {
  return [
    {
      id: "here table",
      title: "Table of final results of this sweep",
      keywords: ["export", "LaTeX", "Markdown", "CSV"],
      action: open(`${sweepPage(sweepId)}?tab=table`),
    },
    { id: "here report", title: "Make a report of this sweep", action: { kind: "report", sweepId } },
    { id: "here compare", title: "Compare this sweep", action: open(`${pages.compare}?sweep=${sweepId}`) },
    {
      id: "here duplicate",
      title: "Duplicate this sweep as a new sweep",
      action: open(`${pages.newSweep}?from=${sweepId}`),
    },
  ];
}

function entriesOfSubject(of: Subject, known: KnownOfSubject): Entry[] {
  if (known === undefined) return [];
  const { isFavourite, isArchived, numToRetry, canCancel } = known;
  return [
    ...(canCancel
      ? [
          {
            id: "here cancel",
            title: `Cancel this ${of.kind}`,
            keywords: ["stop", "end", "abort"],
            action: { kind: "cancel", of } as const,
          },
        ]
      : []),
    ...(numToRetry > 0
      ? [
          {
            id: "here retry",
            title: of.kind === "run" ? "Retry this run" : `Retry ${formatCount(numToRetry, "run")} of this sweep`,
            keywords: ["again", "attempt", "failed"],
            action: { kind: "retry", of } as const,
          },
        ]
      : []),
    {
      id: "here star",
      title: `${isFavourite ? "Unstar" : "Star"} this ${of.kind}`,
      keywords: ["favourite"],
      action: { kind: "mark", of, marks: { isFavourite: !isFavourite } },
    },
    {
      id: "here archive",
      title: `${isArchived ? "Unarchive" : "Archive"} this ${of.kind}`,
      keywords: ["hide", "put away"],
      action: { kind: "mark", of, marks: { isArchived: !isArchived } },
    },
  ];
}
