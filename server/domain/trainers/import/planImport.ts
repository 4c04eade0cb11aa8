import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { groupBy } from "#packages/base";
import { type LoggedStep, sayUnread, shareScales, toSeries } from "#packages/trainers";
import { type ForeignFile, type ForeignRun, type RunInFile, usualSampling } from "./foreignRun.ts";
import { guessIdentity } from "./guessIdentity.ts";
import { identifyRuns } from "./identifyRuns.ts";
import { nameFile, parentOf, resumedWords } from "./nameFile.ts";
import { findNumberedRuns, ofAttempts } from "./numberedRuns.ts";
import { joinSettings, type Settings } from "./settings.ts";
import type { ImportedSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";

export type ImportOptions = {
  method?: string | undefined;
  environment?: string | undefined;
  seed?: number | undefined;
  sampling?: ImportedSpec["sampling"] | undefined;
  /** Maps a metric name in a file to a metric of the studio's catalogue, or to itself if the catalogue has none. */
  chosen?: Readonly<Record<string, string>> | undefined;
};

export type NamedFile = { fileName: string; file: ForeignFile };

export type SettingsFile = { fileName: string; settings: Settings };

export type ImportPlan = {
  cells: readonly { method: string; label: string; spec: ImportedSpec }[];
  runs: readonly { cellIndex: number; seed: number; run: ForeignRun }[];
  notes: readonly string[];
};

/**
 * Groups external runs into cells (method × environment) and seeds. Files of one run are joined: exported charts,
 * snapshots of a trainer's state, parts of a log. A run without a seed gets the smallest free seed, as does a run
 * whose seed is already used, which is noted.
 */
export function planImport(
  files: readonly NamedFile[],
  options: ImportOptions = {},
  settings: readonly SettingsFile[] = [],
): ImportPlan {
  const merged = mergeRuns(files, options.chosen);
  const consoles = [...findConsoles(files)].map(
    (name) => `left out: ${name}: console output of a W&B run whose .wandb file is imported`,
  );
  const notes = [...consoles, ...merged.flatMap(({ name, run }) => run.notes.map((note) => `${name}: ${note}`))];
  const guesses = identifyRuns(merged.map((one) => ({ ...one, settings: joinSettings(settings, one.path ?? "") })));
  const named = merged.map(({ name, run }, i) => {
    const guess = guesses[i] ?? guessIdentity(name);
    const { method = guess.method, environment = guess.environment, seed = guess.seed } = options;
    return { name, run, method, environment, seed };
  });
  const groups = [...groupBy(named, ({ method, environment }) => `${method}\n${environment}`).values()];
  const hasEnvironments = new Set(named.map(({ environment }) => environment)).size > 1;
  const runs = groups.flatMap((group, cellIndex) => {
    const taken = new Set<number>();
    // Runs with a known seed are assigned it first, while it is still free.
    const seededFirst = group.toSorted((a, b) => Number(a.seed === undefined) - Number(b.seed === undefined));
    return seededFirst.map(({ name, run, seed }) => {
      const free = seed !== undefined && !taken.has(seed) ? seed : nextFree(taken);
      if (seed !== undefined && free !== seed)
        notes.push(`${name}: seed ${seed} is already used; imported as seed ${free}`);
      taken.add(free);
      return { cellIndex, seed: free, run };
    });
  });
  const cells = groups.map((group) => {
    const { method = "", environment = "" } = group[0] ?? {};
    const points = group.flatMap(({ run }) => run.points);
    const iterations = points.reduce((most, { iteration }) => Math.max(most, iteration), 0);
    const { sampling = usualSampling } = options;
    const known = { environment: { id: environment }, method, sampling, budget: { iterations } };
    return {
      method,
      label: hasEnvironments ? titleOfEnvironment(environment) : "",
      spec: { kind: "imported" as const, ...known },
    };
  });
  return { cells, runs, notes };
}

function nextFree(taken: ReadonlySet<number>): number {
  let seed = 0;
  while (taken.has(seed)) seed += 1;
  return seed;
}

type MergedRun = { name: string; path: string | undefined; hasAttempts: boolean; run: ForeignRun };

function mergeRuns(files: readonly NamedFile[], chosen: ImportOptions["chosen"]): MergedRun[] {
  const groups = new Map<string, Group>();
  const consoles = findConsoles(files);
  const numbered = findNumberedRuns(files);
  for (const [i, { fileName, file }] of files.entries()) {
    if (consoles.has(fileName)) continue;
    const { name, folder: named } = nameFile(fileName);
    const folder = numbered.get(fileName) ?? named;
    const isWhole = folder !== undefined && ofManyFiles.has(file.format);
    for (const run of file.runs) {
      const part = { ...run, format: file.format, notes: notesOf(file) };
      const key = run.name !== "" ? `run ${run.id ?? run.name}` : isWhole ? `folder ${folder}` : `file ${i}`;
      const known = groups.get(key);
      if (known) known.parts.push(part);
      else if (run.name !== "") groups.set(key, { name: run.name, parts: [part] });
      else {
        const isAlone = !isWhole && file.format !== "trlState";
        groups.set(key, {
          name,
          parts: [part],
          path: fileName,
          ...(folder !== undefined && { folder }),
          ...(isAlone && { file: fileName }),
        });
      }
    }
  }
  const joined = joinFolders(joinResumed(joinSnapshots([...groups.values()])));
  const runs = shareScales(joined.map(({ parts }) => joinParts(parts, chosen)));
  return joined.flatMap(({ name, path, parts }, i) => {
    const hasAttempts = parts.some(({ format }) => ofAttempts.has(format));
    return runs.slice(i, i + 1).map((run) => ({ name, path, hasAttempts, run }));
  });
}

/** Finds console outputs in W&B's run folders, since the run's own file contains the same measurements. */
function findConsoles(files: readonly NamedFile[]): ReadonlySet<string> {
  const names = files.map(({ fileName }) => fileName);
  const folders = files.filter(({ file }) => file.format === "wandb").map(({ fileName }) => parentOf(fileName));
  return new Set(names.filter((name) => folders.some((folder) => parentOf(name) === `${folder}files/`)));
}

const ofManyFiles: ReadonlySet<ForeignFile["format"]> = new Set(["trlState", "tensorBoard", "wandb", "rollouts"]);

function joinFolders(groups: readonly Group[]): Group[] {
  const ofFolder = groupBy(groups, (group) => group.folder ?? group);
  return [...ofFolder.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, parts: [first, ...others].flatMap(({ parts }) => parts) }],
  );
}

/** Joins trainer states, from any folder, if one's history begins with the whole history of another. */
function joinSnapshots(groups: readonly Group[]): Group[] {
  const joined: { group: Group; log: string | undefined }[] = [];
  const logOf = ({ parts: [part, ...others] }: Group) =>
    part?.format === "trlState" && others.length === 0 ? JSON.stringify(part.lines).slice(0, -1) : undefined;
  for (const group of groups) {
    const log = logOf(group);
    const earlier = joined.find((one) => log && one.log && (one.log.startsWith(log) || log.startsWith(one.log)));
    if (!earlier || log === undefined) {
      joined.push({ group: { ...group, parts: [...group.parts] }, log });
      continue;
    }
    earlier.group.parts.push(...group.parts);
    if (log.length > (earlier.log?.length ?? 0)) earlier.log = log;
  }
  return joined.map(({ group }) => group);
}

/** Joins the files that belong to one run, oldest first. A step that was logged again has the last logged value. */
function joinParts(parts: readonly Part[], chosen: ImportOptions["chosen"]): ForeignRun {
  const ordered = parts.toSorted((a, b) => orderOf(a, b));
  const [first] = ordered;
  const dialect = ordered.every((part) => part.dialect === first?.dialect) ? first?.dialect : undefined;
  const originals = Object.assign({}, ...ordered.map((part) => part.originals ?? {}));
  const series = toSeries({ lines: ordered.flatMap(({ lines }) => lines), dialect, originals, chosen });
  const episodes = ordered.flatMap((part) => part.episodes ?? []).toSorted((a, b) => a.iteration - b.iteration);
  const config = Object.assign({}, ...ordered.map((part) => part.config ?? {}));
  return {
    ...series,
    episodes,
    config,
    notes: [...new Set([...ordered.flatMap(({ notes }) => notes), ...series.notes])],
  };
}

function orderOf(a: Part, b: Part): number {
  const [startA, startB] = [a.lines[0]?.atMs, b.lines[0]?.atMs];
  if (startA !== undefined && startB !== undefined && startA !== startB) return startA - startB;
  const [firstA, lastA] = spanOf(a);
  const [firstB, lastB] = spanOf(b);
  return firstA - firstB || lastA - lastB;
}

function spanOf({ lines }: Part): [first: number, last: number] {
  let [first, last] = [Infinity, 0];
  for (const { step } of lines) [first, last] = [Math.min(first, step), Math.max(last, step)];
  return [first, last];
}

function notesOf({ notes, unread, format }: ForeignFile): string[] {
  return [...notes, ...[sayUnread(unread, entryOf(format))].filter((text) => text !== undefined)];
}

/** Names a unit of a file for messages: an entry of a trainer's state, a row of CSV, else a line. */
export function entryOf(format: ForeignFile["format"]): "entry" | "row" | "line" {
  if (format === "trlState") return "entry";
  return /csv$/i.test(format) ? "row" : "line";
}

type Part = RunInFile & { format: ForeignFile["format"]; notes: readonly string[] };
/** Files of one run, with the path of its only file if that does not name the run, or the folder that names it. */
type Group = { name: string; parts: Part[]; path?: string; file?: string; folder?: string };

/**
 * Joins a log that starts in the middle to the run that it resumes, which must be in the same folder. The two file
 * names differ only in numbers and words such as "resumed", and known seeds are equal. The log starts at a step that
 * the earlier run reached.
 */
function joinResumed(groups: readonly Group[]): Group[] {
  const spans = groups.map(measure);
  const joined = new Set<Span>();
  for (const span of spans.toSorted((a, b) => a.first - b.first)) {
    const earlier = spans
      .filter((other) => other !== span && !joined.has(other) && isContinued(other, span))
      .toSorted((a, b) => distance(a, span) - distance(b, span))[0];
    if (!earlier) continue;
    joined.add(span);
    const shift = shiftOf(earlier, span);
    const note = `${span.fileName} continues ${earlier.fileName} at step ${span.first + shift}: read as one run`;
    const parts = span.group.parts.map((part) => moved(part, shift));
    earlier.group.parts.push(...parts.map((part, i) => (i === 0 ? { ...part, notes: [...part.notes, note] } : part)));
    earlier.last = Math.max(earlier.last, span.last + shift);
    const { name, folder } = span.group;
    if (earlier.group.folder === undefined && folder !== undefined) Object.assign(earlier.group, { name, folder });
  }
  return spans.filter((span) => !joined.has(span)).map(({ group }) => group);
}

type Span = {
  group: Group;
  /** Folder of the run's only file; undefined if the run has several files, or a file that names the run. */
  directory: string | undefined;
  fileName: string;
  stem: string;
  seed: number | undefined;
  first: number;
  last: number;
  stride: number;
};

function measure(given: Group): Span {
  const group = { ...given, parts: [...given.parts] };
  const steps = group.parts.flatMap(({ lines }) => lines.map(({ step }) => step));
  const ascending = [...new Set(steps)].sort((a, b) => a - b);
  const gaps = ascending.slice(1).map((step, i) => step - (ascending[i] ?? step));
  const stride = gaps.toSorted((a, b) => a - b)[gaps.length >> 1] ?? 1;
  const { seed } = guessIdentity(group.name);
  const path = group.file?.split(/[\\/]+/);
  const fileName = path?.at(-1) ?? group.name;
  const directory = path?.slice(0, -1).join("/");
  const [first = 0, last = first] = [ascending[0], ascending.at(-1)];
  return { group, directory, fileName, stem: stemOf(fileName), seed, first, last, stride };
}

function isContinued(earlier: Span, later: Span): boolean {
  if (earlier.directory === undefined || earlier.directory !== later.directory) return false;
  if (formatOf(earlier) !== formatOf(later) || earlier.stem !== later.stem) return false;
  // One run may be named after its folder, which contains the seed, and the other after its file without a seed.
  if (earlier.seed !== later.seed && earlier.seed !== undefined && later.seed !== undefined) return false;
  const first = later.first + shiftOf(earlier, later);
  const isMiddle = first > Math.max(1, later.stride);
  return isMiddle && earlier.first < first && first <= earlier.last + 2 * Math.max(earlier.stride, later.stride);
}

function distance(earlier: Span, later: Span): number {
  return Math.abs(earlier.last + earlier.stride - later.first - shiftOf(earlier, later));
}

function formatOf({ group }: Span): ForeignFile["format"] | undefined {
  return group.parts[0]?.format;
}

function stemOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/(\.(jsonl?|ndjson|log|txt|csv|tsv|out|err|gz|\d+))+$/, "")
    .replaceAll(new RegExp(`${resumedWords}|\\d+`, "g"), "")
    .replaceAll(/[^a-z]+/g, "");
}

/** Returns the steps to add to a printed log that counts from 1 again, computed from its epochs. */
function shiftOf(earlier: Span, later: Span): number {
  if (formatOf(later) !== "trlPrinted") return 0;
  const last = linesOf(earlier).findLast(({ values }) => (values["epoch"] ?? 0) > 0);
  const first = linesOf(later).find(({ values }) => (values["epoch"] ?? 0) > 0);
  if (last?.values["epoch"] === undefined || first?.values["epoch"] === undefined) return 0;
  const shift = Math.round((first.values["epoch"] / last.values["epoch"]) * last.step) - first.step;
  return shift >= later.stride ? shift : 0;
}

function linesOf({ group }: Span): readonly LoggedStep[] {
  return group.parts.flatMap(({ lines }) => lines);
}

function moved(part: Part, shift: number): Part {
  if (shift === 0) return part;
  return { ...part, lines: part.lines.map((line) => ({ ...line, step: line.step + shift })) };
}
