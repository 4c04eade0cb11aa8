import { AppError } from "#packages/base";
import { decodeText, readTensorBoard, nothingUnread, isWandbFile, readWandbFile, readLog } from "#packages/trainers";
import { renameKeys } from "./findWriters.ts";
import { foreignFormats, type ForeignFile, type RunInFile } from "./foreignRun.ts";
import { readColumns, readMlflowMetric } from "./readColumns.ts";
import { findMetric } from "./nameFile.ts";
import { nameKind } from "./nameKind.ts";
import { isRolloutDump, readRolloutDump } from "./rollouts/dump.ts";
import { readRollouts } from "./rollouts/groups.ts";
import { splitSeeds } from "./splitRuns.ts";
import { hasTrackerColumns } from "./csv/table.ts";
import { readTrackerCsv } from "./trackerCsv.ts";

/** Reads the runs in a file of another trainer or tracker. The format is detected from the content, not the name. */
export function readForeignFile(fileName: string, bytes: Uint8Array): ForeignFile {
  const file = readContent(fileName, bytes);
  const runs = file.runs.filter(({ lines }) => lines.length > 0);
  if (runs.length === 0) throw withoutMeasurements(fileName);
  const metric = findMetric(fileName)?.metric;
  return { ...file, runs: metric === undefined ? runs : runs.map((run) => ofMetric(run, metric)) };
}

/** Names the only column of a file with one metric's values after its path. */
function ofMetric(run: RunInFile, metric: string): RunInFile {
  const own = metric.split("/").at(-1);
  return { ...run, lines: renameKeys(run.lines, (key) => (key === own || /^value$/i.test(key) ? metric : key)) };
}

export const noMeasurements = "no measurements found";

function withoutMeasurements(fileName: string): AppError {
  return new AppError("bad_input", `${fileName}: ${noMeasurements}`);
}

export function listFormats(): string {
  return `Formats that can be read: ${Object.values(foreignFormats).join(", ")}.`;
}

function readContent(fileName: string, bytes: Uint8Array): ForeignFile {
  if (isWandbFile(bytes)) return readWandb(bytes);
  const kind = nameKind(fileName, bytes);
  if (kind !== undefined) throw new AppError("bad_input", `${fileName}: ${kind}`);
  if (isEventFile(bytes)) return readEvents(fileName, bytes);
  const decoded = decodeText(bytes);
  if (decoded === undefined || isBinary(decoded.text)) {
    const first = [...bytes.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    throw new AppError("bad_input", `${fileName}: binary data of an unknown kind (its first bytes: ${first}), no text`);
  }
  const file = readText(fileName, decoded.text);
  return { ...file, notes: [...decoded.notes, ...file.notes] };
}

function readWandb(bytes: Uint8Array): ForeignFile {
  const { name, id, steps, config, notes } = readWandbFile(bytes);
  return { format: "wandb", runs: [{ name: name || id, id, config, lines: steps }], notes, unread: nothingUnread };
}

function readEvents(fileName: string, bytes: Uint8Array): ForeignFile {
  const { steps, consumedBytes, damage } = readTensorBoard(bytes);
  const left = bytes.length - consumedBytes;
  const isCut = left > 0 && damage === undefined;
  const rest = `the ${left} bytes from there on were not read`;
  const notes = [
    ...(damage === undefined ? [] : [`damaged at byte ${consumedBytes} (${damage}): ${rest}`]),
    ...(isCut ? [`cut short at byte ${consumedBytes}, within a record: ${rest}`] : []),
  ];
  if (steps.length === 0 && notes.length > 0) throw new AppError("bad_input", `${fileName}: ${notes.join("; ")}`);
  return { format: "tensorBoard", runs: [{ name: "", lines: steps }], notes, unread: nothingUnread };
}

function readText(fileName: string, text: string): ForeignFile {
  if (isRolloutDump(text)) return readRolloutDump(text);
  const rollouts = readRollouts(fileName, text);
  if (rollouts) return rollouts;
  const columns = readColumns(text) ?? readMlflowMetric(fileName, text);
  if (columns) return columns;
  // A console log's first line may contain commas, so column names decide. The last resort is the error about CSV.
  if (hasTrackerColumns(text)) return readTrackerCsv(fileName, text);
  const log = readLog(text);
  if (log === undefined) {
    if (looksLikeCsv(fileName, text)) return readTrackerCsv(fileName, text);
    throw withoutMeasurements(fileName);
  }
  const { format, run, unread, notes } = log;
  const whole = { name: "", ...run };
  return { format, runs: format === "metrics" ? splitSeeds(fileName, whole) : [whole], notes, unread };
}

/** Returns true for text of which many characters are control characters, other than spaces, colours and bars. */
function isBinary(text: string): boolean {
  const start = text.slice(0, 4096);
  // oxlint-disable-next-line no-control-regex -- Control characters are the subject.
  return (start.match(/[\u0000-\u0006\u000e-\u001a\u001c-\u001f\u007f]/g)?.length ?? 0) > 0.05 * start.length;
}

/** Returns true for a TensorBoard file, which begins with an 8-byte length whose upper four bytes are zero. */
function isEventFile(bytes: Uint8Array): boolean {
  const isEmpty = bytes.subarray(0, 4).every((byte) => byte === 0);
  return bytes.length >= 16 && !isEmpty && bytes.subarray(4, 8).every((byte) => byte === 0);
}

/** Returns true for a table by its name, or by commas that are as many in the first lines. */
function looksLikeCsv(fileName: string, text: string): boolean {
  const lines = text.split(/\r?\n/, 4).filter((line) => line !== "");
  const [first = ""] = lines;
  const numCommas = lines.map((line) => line.split(",").length - 1);
  const isEven = lines.length > 1 && new Set(numCommas).size === 1;
  const hasNames = !first.split(",").some((name) => /^[\s"[]*\d/.test(name));
  const isTable = /\.[ct]sv(\.gz)?$/i.test(fileName) || (isEven && hasNames);
  return isTable && first.includes(",") && !first.trimStart().startsWith("{") && !/\bstep:\d+ - /.test(first);
}
