import { type QuestionId, questions } from "./analysis/questions.ts";

/** URLs of the studio's web pages. No other file contains a page's URL. */
export const pages = {
  sweeps: "/sweeps",
  newSweep: "/sweeps/new",
  runs: "/runs",
  compare: "/analysis/compare",
  stability: "/analysis/stability",
  survival: "/analysis/stability/survival",
  warning: "/analysis/stability/warning",
  dimensions: "/analysis/effects/dimensions",
  hyperparameters: "/analysis/effects/hyperparameters",
  phases: "/analysis/effects/phases",
  transfer: "/analysis/transfer",
  rescue: "/analysis/rescue",
  behaviour: "/analysis/behaviour",
  claims: "/analysis/claims",
  tables: "/publish/tables",
  reports: "/publish/reports",
  links: "/publish/links",
  environments: "/environments",
  nodes: "/fleet/nodes",
  queue: "/fleet/queue",
  cost: "/fleet/cost",
  alerts: "/fleet/alerts",
  people: "/people",
  tokens: "/people/tokens",
  changes: "/people/changes",
} as const;

/** URL of the page for developers that lists all figures; no menu contains it. */
export const figuresPage = "/developers/figures";

/** Path at which the web process answers "ok" without a session and without the database, for health checks. */
export const healthPath = "/health";

export const sweepPage = (id: string) => `${pages.sweeps}/${encodeURIComponent(id)}` as const;
export const runPage = (id: string) => `${pages.runs}/${encodeURIComponent(id)}` as const;
/** Page of the stored transcript of an evaluation episode. */
export const episodePage = (runId: string, { iteration, task }: { iteration: number; task: number }) =>
  `${runPage(runId)}?tab=episodes&episode=${iteration}.${task}` as const;
/** URL of the table of runs with a filter, such as `state:running`. */
export const runTablePage = (filter: string) => `${pages.runs}?q=${encodeURIComponent(filter)}` as const;
export const reportPage = (id: number | string) => `${pages.reports}/${encodeURIComponent(id)}` as const;
/** URL of the page on which an invited person creates an account. */
export const invitationPage = (token: string) => `/invitation?token=${token}`;
/** URL of the page of a paper's figure, such as `figure3`. */
export const figurePage = (id: string) => `${pages.claims}/${encodeURIComponent(id)}` as const;
/** URL of a page for developers that shows one figure alone. */
export const developerFigurePage = (name: string) => `${figuresPage}/${encodeURIComponent(name)}` as const;

/** The sweep or run that an open page shows. */
export type Subject = { kind: "sweep" | "run"; id: string };

/** Returns the sweep or run that a page's URL path contains; undefined for pages that show neither. */
export function subjectOf(path: string): Subject | undefined {
  const [, folder, id] = /^\/(sweeps|runs)\/([^/]+)$/.exec(path) ?? [];
  if (id === undefined || path === pages.newSweep) return undefined;
  return { kind: folder === "sweeps" ? "sweep" : "run", id };
}

export type MenuEntry = {
  /** URL path of the page; for an entry with `pages`, the folder that these pages share. */
  path: string;
  title: string;
  /** Key that opens the page when pressed after `g` (keyboard shortcut): a letter of its title, or of its group's. */
  key?: string;
  /** Search words, besides the title, by which the command palette finds the page. */
  words?: readonly string[];
  pages?: readonly MenuEntry[];
};

/** Pages that answer a question, by question. */
export const questionPages = {
  compare: pages.compare,
  overview: pages.stability,
  survival: pages.survival,
  blind: pages.warning,
  dimensions: pages.dimensions,
  phases: pages.phases,
  transfer: pages.transfer,
  rescue: pages.rescue,
  behaviour: pages.behaviour,
  claims: pages.claims,
} as const satisfies { [Id in QuestionId]?: string };
export type PageQuestion = keyof typeof questionPages;

const answering = Object.fromEntries(
  Object.entries(questionPages).map(([id, path]) => [id, { path, title: questions[id as PageQuestion].title }]),
) as Record<PageQuestion, MenuEntry>;

const stability: readonly MenuEntry[] = [
  { ...answering.overview, key: "b", words: ["alarms", "collapses", "detector"] },
  { ...answering.survival, words: ["stability", "hazard", "time to collapse"] },
  { path: pages.warning, title: "Early warning", words: ["stability", "detectors", "early signals", "alarms"] },
];

const effects: readonly MenuEntry[] = [
  { ...answering.dimensions, words: ["effects", "stability"] },
  { path: pages.hyperparameters, title: "Hyperparameters", key: "h", words: ["effects", "importance", "rank"] },
  { ...answering.phases, words: ["effects", "stability", "boundary"] },
];

const claims: readonly MenuEntry[] = [
  { ...answering.claims, words: ["findings", "papers"] },
  { path: figurePage("figure3"), title: "Figure 3 of ARLArena", words: ["papers"] },
  { path: figurePage("figure4"), title: "Figure 4 of ARLArena", words: ["papers"] },
];

/** Entries of the studio's main menu, with the pages in each. */
export const menu: readonly MenuEntry[] = [
  { path: pages.sweeps, title: "Sweeps", key: "s" },
  { path: pages.runs, title: "Runs", key: "r" },
  {
    path: "/analysis",
    title: "Analysis",
    pages: [
      { ...answering.compare, key: "c", words: ["curves", "methods"] },
      { path: pages.stability, title: "Stability", pages: stability },
      { path: "/analysis/effects", title: "Effects", pages: effects },
      { ...answering.transfer, key: "f", words: ["elsewhere", "generalisation"] },
      { ...answering.rescue, words: ["branches", "collapses", "saved"] },
      { ...answering.behaviour, words: ["actions", "transitions", "loops", "flow"] },
      { path: pages.claims, title: "Claims of the papers", pages: claims },
    ],
  },
  {
    path: "/publish",
    title: "Publish",
    pages: [
      { path: pages.tables, title: "Tables", key: "t", words: ["proof"] },
      { path: pages.reports, title: "Reports", key: "p" },
      { path: pages.links, title: "Shared links", words: ["share"] },
    ],
  },
  { path: pages.environments, title: "Environments", key: "e", words: ["play"] },
];

/** Pages opened by the buttons to the right of the menu. */
export const corner = {
  fleet: {
    path: "/fleet",
    title: "Fleet",
    pages: [
      { path: pages.nodes, title: "Nodes", key: "n", words: ["machines", "GPUs"] },
      { path: pages.queue, title: "Queue", key: "q", words: ["priority", "waiting"] },
      { path: pages.cost, title: "Cost", key: "o", words: ["budgets", "slot-hours"] },
      { path: pages.alerts, title: "Alerts", key: "a", words: ["e-mail", "Slack", "webhook"] },
    ],
  },
  people: {
    path: pages.people,
    title: "People",
    pages: [
      { path: pages.people, title: "People", key: "l", words: ["roles", "invitations", "password"] },
      { path: pages.tokens, title: "Tokens", words: ["API", "programs"] },
      { path: pages.changes, title: "Changes", key: "g", words: ["audit", "history"] },
    ],
  },
} as const satisfies Record<string, MenuEntry>;

/** All pages of the menu and of the buttons beside it, each under its own title. */
export const listedPages: readonly MenuEntry[] = [...menu, ...Object.values(corner)].flatMap(listBelow);

function listBelow(entry: MenuEntry): MenuEntry[] {
  return (entry.pages ?? [entry]).flatMap((below) => {
    if (below === entry) return [entry];
    // The first page of a group has the group's URL and title.
    return listBelow(below.path === entry.path ? { ...below, title: entry.title } : below);
  });
}

/** Returns the URL that a menu entry opens: its own page, or the first of the pages in it. */
export function openedBy({ path, pages: [first] = [] }: MenuEntry): string {
  return first ? openedBy(first) : path;
}

/** Finds the menu entry that contains a page: the entry with the longest matching path. */
export function entryAt(entries: readonly MenuEntry[], path: string): MenuEntry | undefined {
  return entries
    .filter((entry) => path === entry.path || path.startsWith(`${entry.path}/`))
    .toSorted((a, b) => b.path.length - a.path.length)[0];
}

/** Current URLs of pages and folders of pages that have moved, by old path. */
const moved: Readonly<Record<string, string>> = {
  "/compare": pages.compare,
  "/stability": pages.stability,
  "/hyperparameters": pages.hyperparameters,
  "/papers": pages.claims,
  "/tables": pages.tables,
  "/reports": pages.reports,
  "/nodes": pages.nodes,
  "/cost": pages.cost,
  "/alerts": pages.alerts,
  "/audit": pages.changes,
};

/** Current URLs of what used to be tabs of the page Stability, by old tab. */
const stabilityTabs: Readonly<Record<string, string>> = {
  survival: pages.survival,
  warning: pages.warning,
  detectors: pages.warning,
  climbs: pages.warning,
  dimensions: pages.dimensions,
  phases: pages.phases,
  findings: pages.claims,
};

/** Current URL parameters of what used to be tabs of a run's page, by old tab. */
const runTabs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  metrics: { tab: "overview" },
  samples: { tab: "episodes" },
  history: { tab: "details" },
  log: { tab: "details", details: "log" },
  spec: { tab: "details", details: "spec" },
};

/** URLs of folders without a page of their own, each with the page that opens instead: the first in the folder. */
const folders: Readonly<Record<string, string>> = Object.fromEntries(
  [...menu, ...menu.flatMap((entry) => entry.pages ?? []), corner.fleet].map((entry) => [entry.path, openedBy(entry)]),
);

/**
 * Redirects old URLs.
 * @returns the current URL of a page, with its query, if the given URL is an old one or a folder; else undefined
 */
export function currentAddress(path: string, search: string): string | undefined {
  const query = new URLSearchParams(search);
  const next = path === "/stability" ? leaveTab(query) : currentPath(path);
  const tab = subjectOf(path)?.kind === "run" ? runTabs[query.get("tab") ?? ""] : undefined;
  for (const [name, value] of Object.entries(tab ?? {})) query.set(name, value);
  if (next === path && tab === undefined) return undefined;
  const text = query.toString();
  return text === "" ? next : `${next}?${text}`;
}

function currentPath(path: string): string {
  const [, first = "", rest = ""] = /^(\/[^/]+)(\/.*)?$/.exec(path) ?? [];
  const next = moved[first];
  return next === undefined ? (folders[path] ?? path) : next + rest;
}

/** Converts the old URL of a tab on the page Stability to a current path. A run's replay is now on the run's page. */
function leaveTab(query: URLSearchParams): string {
  const tab = query.get("tab") ?? "";
  const runId = query.get("run") ?? "";
  query.delete("tab");
  if (tab !== "replay" || runId === "") return stabilityTabs[tab] ?? pages.stability;
  query.delete("run");
  query.set("tab", "stability");
  return runPage(runId);
}
