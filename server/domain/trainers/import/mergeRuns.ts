import { groupBy } from "#packages/base";
import { sayUnread, shareScales, toSeries } from "#packages/trainers";
import type { ChosenNames } from "./chosenNames.ts";
import type { ForeignFile, ForeignRun, Group, LeftOut, NamedFile, Part } from "./foreignRun.ts";
import { joinResumed } from "./joinResumed.ts";
import { findMetric, isOfEvaluation, nameFile, parentOf, withoutPart } from "./nameFile.ts";
import { findWriters, isOfHyperparameters, isOfTune, renameKeys } from "./findWriters.ts";
import { findNumberedRuns, ofAttempts } from "./numberedRuns.ts";

/** `id`: the run's identity among the given files. `files`: paths of its files, in the given order. */
type MergedRun = {
  id: string;
  name: string;
  path: string | undefined;
  files: readonly string[];
  hasAttempts: boolean;
  run: ForeignRun;
};

export function mergeRuns(files: readonly NamedFile[], chosen: ChosenNames | undefined): MergedRun[] {
  const groups = new Map<string, Group>();
  const copies = new Set(findCopies(files).map(({ file }) => file));
  const writers = findWriters(files);
  const pairs = findPairs(files);
  const numbered = findNumberedRuns(files);
  for (const [i, { fileName, file }] of files.entries()) {
    if (copies.has(fileName)) continue;
    const writer = writers.get(fileName);
    const { name, folder: named } = nameFile(
      writer?.path ?? (pairs.has(fileName) ? `${withoutPart(fileName)}/metrics.csv` : fileName),
    );
    const folder = numbered.get(fileName) ?? named;
    const path = writer?.path ?? findMetric(fileName)?.folder.concat("/metrics") ?? fileName;
    const isWhole = folder !== undefined && ofManyFiles.has(file.format);
    for (const run of file.runs) {
      const lines = writer ? renameKeys(run.lines, writer.rename) : run.lines;
      const isEvaluation = isOfEvaluation(fileName);
      const part = { ...run, lines, fileName, isEvaluation, format: file.format, notes: notesOf(file) };
      const key = run.name !== "" ? `run ${run.id ?? run.name}` : isWhole ? `folder ${folder}` : `file ${i}`;
      const known = groups.get(key);
      if (known) known.parts.push(part);
      else if (run.name !== "") groups.set(key, { id: key, name: run.name, parts: [part] });
      else {
        const isAlone = !isWhole && file.format !== "trlState";
        groups.set(key, {
          id: isWhole ? key : `file ${fileName}`,
          name,
          parts: [part],
          path,
          ...(folder !== undefined && { folder }),
          ...(isAlone && { file: fileName }),
        });
      }
    }
  }
  const joined = joinFolders(joinResumed(joinSnapshots([...groups.values()])));
  const runs = shareScales(joined.map(({ parts }) => joinParts(parts, chosen)));
  return joined.flatMap(({ id, name, path, parts }, i) => {
    const hasAttempts = parts.some(({ format }) => ofAttempts.has(format));
    const files = [...new Set(parts.map(({ fileName }) => fileName))];
    return runs.slice(i, i + 1).map((run) => ({ id, name, path, files, hasAttempts, run }));
  });
}

/** Finds files that repeat another file: W&B's copy of the console, hyperparameters, the output of other processes. */
export function findCopies(files: readonly NamedFile[]): LeftOut[] {
  const names = new Set(files.map(({ fileName }) => fileName));
  const folders = files.filter(({ file }) => file.format === "wandb").map(({ fileName }) => parentOf(fileName));
  return files.flatMap((one) => {
    const { fileName: file } = one;
    if (folders.some((folder) => parentOf(file) === `${folder}files/`))
      return [{ file, reason: "console output of a W&B run whose .wandb file is imported" }];
    if (isOfHyperparameters(file, files))
      return [{ file, reason: "hyperparameters and final values (add_hparams), no measurements by step" }];
    if (isOfTune(one, files))
      return [{ file, reason: "repeats by timesteps what the table beside it has by iterations" }];
    if (
      isMonitor(file) &&
      files.some((other) => !isMonitor(other.fileName) && parentOf(other.fileName) === parentOf(file))
    )
      return [{ file, reason: "episodes by timesteps, of a run whose log lies beside it" }];
    const first = file.replace(isMonitor(file) ? ofMonitor : ofRank, "$10$2");
    const isCopy = first !== file && names.has(first);
    return isCopy ? [{ file, reason: `another process of the run of ${first}` }] : [];
  });
}

/** Number of a process at the end of its file's path. A folder such as `lora_rank8` numbers no processes. */
const ofRank = /((?:^|[\\/_.-])ranks?[-_\\/]?)[1-9]\d*(\.\w+)$/i;
const ofMonitor = /(^|[\\/])[1-9]\d*(\.monitor\.csv)$/;

function isMonitor(file: string): boolean {
  return /(^|[\\/.])monitor\.csv$/.test(file);
}

/** Finds the files of training and evaluation of one run in one folder: `grpo_s0.csv` and `grpo_s0_eval.csv`. */
function findPairs(files: readonly NamedFile[]): ReadonlySet<string> {
  const alike = groupBy(
    files.map(({ fileName }) => fileName),
    withoutPart,
  );
  const pairs = [...alike.values()].filter((group) => new Set(group.map(isOfEvaluation)).size > 1);
  return new Set(pairs.flat());
}

const ofManyFiles: ReadonlySet<ForeignFile["format"]> = new Set([
  "trlState",
  "tensorBoard",
  "wandb",
  "rollouts",
  "mlflowMetric",
]);

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
function joinParts(parts: readonly Part[], chosen: ChosenNames | undefined): ForeignRun {
  const isMixed = parts.some(({ isEvaluation }) => isEvaluation) && parts.some(({ isEvaluation }) => !isEvaluation);
  const ordered = parts
    .map((part) => (isMixed && part.isEvaluation ? { ...part, lines: renameKeys(part.lines, toEvaluation) } : part))
    .toSorted((a, b) => orderOf(a, b));
  const [first] = ordered;
  const dialect = ordered.every((part) => part.dialect === first?.dialect) ? first?.dialect : undefined;
  const originals = Object.assign({}, ...ordered.map((part) => part.originals ?? {}));
  const series = toSeries({ lines: ordered.flatMap(({ lines }) => lines), dialect, originals, chosen });
  const episodes = ordered.flatMap((part) => part.episodes ?? []).toSorted((a, b) => a.iteration - b.iteration);
  const trained = ordered.filter(({ isEvaluation }) => !(isMixed && isEvaluation));
  // The groups of an iteration are those of the last file that has it.
  const ofIteration = new Map(trained.flatMap(({ groups = [] }) => [...groupBy(groups, ({ head }) => head.iteration)]));
  const groups = [...ofIteration.values()].flat().toSorted((a, b) => a.head.iteration - b.head.iteration);
  const config = Object.assign({}, ...ordered.map((part) => part.config ?? {}));
  return {
    ...series,
    episodes,
    groups,
    config,
    notes: [...new Set([...ordered.flatMap(({ notes }) => notes), ...series.notes])],
  };
}

/** Names a metric of an evaluation's file, which may have the names of the training. */
function toEvaluation(key: string): string {
  return /(^|[/_])(eval|val|valid|test|evaluation|validation)(?=[/_])/i.test(key) ? key : `eval/${key}`;
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
