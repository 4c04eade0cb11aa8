import { AppError } from "../errors.ts";
import { readTensorBoard } from "../external/tensorBoard.ts";
import { parseLog } from "../stability/parseLog.ts";
import { foreignFormats, type ForeignFile } from "./foreignRun.ts";
import { toForeignRun } from "./toForeignRun.ts";
import { readTrackerCsv } from "./trackerCsv.ts";

/** The runs in a file of another trainer or tracker; what it is shows in its content, not in its name. */
export function readForeignFile(fileName: string, bytes: Uint8Array): ForeignFile {
  const file = isEventFile(bytes) ? readEvents(bytes) : readText(fileName, decode(fileName, bytes));
  const runs = file.runs.filter(({ points }) => points.length > 0);
  if (runs.length === 0) throw new AppError("bad_input", `${fileName}: nothing in it is a measurement`);
  return { ...file, runs };
}

function readEvents(bytes: Uint8Array): ForeignFile {
  const { steps, consumedBytes } = readTensorBoard(bytes);
  const left = bytes.length - consumedBytes;
  const notes = left > 0 ? [`the last ${left} bytes are a record cut short`] : [];
  return { format: "tensorBoard", runs: [toForeignRun("", steps)], notes };
}

function readText(fileName: string, text: string): ForeignFile {
  if (looksLikeCsv(text)) return readTrackerCsv(text, fileName);
  const log = parseLog(text);
  if (log === undefined) {
    const known = Object.values(foreignFormats).join(", ");
    throw new AppError("bad_input", `${fileName}: nothing in it is a measurement; what can be read: ${known}`);
  }
  const { format, points, originals, numOtherLines } = log;
  const notes = numOtherLines > 0 ? [`${numOtherLines} lines that are no measurements`] : [];
  return { format, runs: [{ name: "", points, originals }], notes };
}

/** A record of a TensorBoard event file begins with a length of eight bytes, the upper four zero: no text does. */
function isEventFile(bytes: Uint8Array): boolean {
  return bytes.length >= 16 && bytes.subarray(4, 8).every((byte) => byte === 0);
}

function looksLikeCsv(text: string): boolean {
  const [first = ""] = text.split(/\r?\n/, 1);
  return !first.trimStart().startsWith("{") && first.split(",").length >= 2 && !/\bstep:\d+ - /.test(first);
}

function decode(fileName: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new AppError("bad_input", `${fileName}: neither text nor a TensorBoard event file`, { cause });
  }
}
