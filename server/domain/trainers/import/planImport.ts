import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { groupBy } from "#packages/base";
import { toSeries, sayUnread } from "#packages/trainers";
import type { ForeignFile, ForeignRun } from "./foreignRun.ts";
import { guessIdentity } from "./guessIdentity.ts";
import { joinResumed, type Group, type Part } from "./joinResumed.ts";
import { nameFile } from "./nameFile.ts";
import type { ImportedSpec } from "#server/domain/plan/sweep/storedSpec.ts";
import { usualSampling } from "./usualSampling.ts";

/** Set by the user where file names do not contain it. */
export type ImportOptions = {
  method?: string | undefined;
  environment?: string | undefined;
  seed?: number | undefined;
  sampling?: ImportedSpec["sampling"] | undefined;
  /** Metric name in a file → catalogue metric, or itself if the catalogue has none. */
  chosen?: Readonly<Record<string, string>> | undefined;
};

export type NamedFile = { fileName: string; file: ForeignFile };

export type ImportPlan = {
  cells: readonly { method: string; label: string; spec: ImportedSpec }[];
  runs: readonly { cellIndex: number; seed: number; run: ForeignRun }[];
  notes: readonly string[];
};

/**
 * Sorts external runs into cells (method × environment) and seeds. Files of one run are joined: exported charts,
 * snapshots of a trainer's state, parts of a log. A taken or unknown seed becomes the next free one, with a note.
 */
export function planImport(files: readonly NamedFile[], options: ImportOptions = {}): ImportPlan {
  const merged = mergeRuns(files, options.chosen);
  const consoles = [...findConsoles(files)].map(
    (name) => `left out: ${name}: the console output of a W&B run whose .wandb file is read`,
  );
  const notes = [...consoles, ...merged.flatMap(({ name, run }) => run.notes.map((note) => `${name}: ${note}`))];
  const named = merged.map(({ name, run }) => {
    const guess = guessIdentity(name);
    const { method = guess.method, environment = guess.environment, seed = guess.seed } = options;
    return { name, run, method, environment, seed };
  });
  const keyOf = ({ method, environment }: { method: string; environment: string }) => `${method}\n${environment}`;
  const cellKeys = [...new Set(named.map(keyOf))];
  const hasEnvironments = new Set(named.map(({ environment }) => environment)).size > 1;
  const runs: { cellIndex: number; seed: number; run: ForeignRun }[] = [];
  for (const [cellIndex, key] of cellKeys.entries()) {
    const matching = named.filter((one) => keyOf(one) === key);
    const taken = new Set<number>();
    // Runs with a known seed choose first.
    for (const { name, run, seed } of [
      ...matching.filter((one) => one.seed !== undefined),
      ...matching.filter(isSeedless),
    ]) {
      const free = seed !== undefined && !taken.has(seed) ? seed : nextFree(taken);
      if (seed !== undefined && free !== seed) notes.push(`${name}: seed ${seed} is taken, it counts as seed ${free}`);
      taken.add(free);
      runs.push({ cellIndex, seed: free, run });
    }
  }
  const cells = cellKeys.map((key, cellIndex) => {
    const [method = "", environment = ""] = key.split("\n");
    const points = runs.filter((run) => run.cellIndex === cellIndex).flatMap(({ run }) => run.points);
    const iterations = points.reduce((most, { iteration }) => Math.max(most, iteration), 0);
    const sampling = options.sampling ?? usualSampling;
    return {
      method,
      label: hasEnvironments ? titleOfEnvironment(environment) : "",
      spec: {
        kind: "imported" as const,
        environment: { id: environment },
        method,
        sampling,
        budget: { iterations },
      },
    };
  });
  return { cells, runs, notes };
}

function isSeedless({ seed }: { seed: number | undefined }): boolean {
  return seed === undefined;
}

function nextFree(taken: ReadonlySet<number>): number {
  let seed = 0;
  while (taken.has(seed)) seed += 1;
  return seed;
}

/** Groups lines by run: same folder, same tracker id, or same name in a file. */
function mergeRuns(files: readonly NamedFile[], chosen: ImportOptions["chosen"]): { name: string; run: ForeignRun }[] {
  const groups = new Map<string, Group>();
  const consoles = findConsoles(files);
  for (const [i, { fileName, file }] of files.entries()) {
    if (consoles.has(fileName)) continue;
    const { name, folder } = nameFile(fileName);
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
          ...(folder !== undefined && { folder }),
          ...(isAlone && { file: fileName }),
        });
      }
    }
  }
  const joined = joinResumed(joinSnapshots([...groups.values()]));
  return joinFolders(joined).map(({ name, parts }) => ({ name, run: joinParts(parts, chosen) }));
}

/** Console outputs that W&B keeps below a run's folder; the run's own file has the same measurements. */
function findConsoles(files: readonly NamedFile[]): ReadonlySet<string> {
  const names = files.map(({ fileName }) => fileName);
  const folders = files.filter(({ file }) => file.format === "wandb").map(({ fileName }) => parentOf(fileName));
  return new Set(names.filter((name) => folders.some((folder) => parentOf(name) === `${folder}files/`)));
}

/** The path before its last slash. */
function parentOf(path: string): string {
  return path.replaceAll("\\", "/").replace(/[^/]*$/, "");
}

/** Formats with usually several files per run. */
const ofManyFiles: ReadonlySet<ForeignFile["format"]> = new Set(["trlState", "tensorBoard", "wandb", "rollouts"]);

function joinFolders(groups: readonly Group[]): Group[] {
  const ofFolder = groupBy(groups, (group) => group.folder ?? group);
  return [...ofFolder.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, parts: [first, ...others].flatMap(({ parts }) => parts) }],
  );
}

/**
 * Joins trainer states where one begins with the whole history of another; they belong to one run, wherever they are.
 */
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

/** Oldest part first: a step that was logged again takes its last value. */
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

/** Notes on how the runs of the file were read. */
function notesOf({ notes, unread, format }: ForeignFile): string[] {
  return [...notes, ...[sayUnread(unread, entryOf(format))].filter((text) => text !== undefined)];
}

/** Name of a file's unit in this format, for messages. */
export function entryOf(format: ForeignFile["format"]): "entry" | "row" | "line" {
  if (format === "trlState") return "entry";
  return /csv$/i.test(format) ? "row" : "line";
}
