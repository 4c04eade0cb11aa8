import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync, writeSync } from "node:fs";
import { join, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { growingFiles } from "../ssh/protocol.ts";
import { type FilePiece, lineMark, maxBroughtBytes } from "./protocol.ts";

const pieceBytes = 256 << 10;
const minBetweenMs = 60_000;

export type DeliveryOptions = {
  folder: string;
  fd: number;
  now?: () => number;
};

/** Makes the functions that copy an attempt's folder into the job's log, as numbered lines with a prefix. */
export function makeDelivery({ folder, fd, now = Date.now }: DeliveryOptions) {
  const write = makeWriter(fd);
  /** Number of bytes copied so far, by file. */
  const sent = new Map<string, number>();
  const brought = new Set<string>();
  const beganMs = now();
  let nextCheckpointMs = beganMs + minBetweenMs;
  let leftBytes = 4 * maxBroughtBytes;

  const send = (name: string): void => {
    readPieces(join(folder, name), sent.get(name) ?? 0, (piece, end) => {
      write({ name, ...piece });
      sent.set(name, end);
    });
  };
  const bring = (name: string): void => {
    if (brought.has(name)) return;
    const size = statSync(join(folder, name), { throwIfNoEntry: false })?.size;
    if (size === undefined) return;
    if (size > Math.min(maxBroughtBytes, leftBytes)) {
      console.error(`${name}, ${size} bytes, stays in ${folder}`);
    } else {
      send(name);
      leftBytes -= size;
    }
    brought.add(name);
  };
  const look = (): void => {
    const isDue = now() >= nextCheckpointMs;
    // The checkpoint is chosen first, so that the measurements up to it precede it in the log.
    const checkpoint = isDue ? newestCheckpoint(folder) : [];
    for (const name of growingFiles) send(name);
    for (const name of checkpoint) bring(name);
    // The interval is a tenth of the elapsed time: little work is lost with a machine, and the log stays short.
    if (isDue) nextCheckpointMs = now() + Math.max(minBetweenMs, (now() - beganMs) / 10);
  };
  return {
    /** Copies new bytes, and at intervals the latest checkpoint. If the disk is full, the next call continues. */
    look: (): void => void tryTo(look),
    /** Copies the remaining files except too large ones, then the trainer's exit code; waits for disk space. */
    end: async (exitCode: number): Promise<void> => {
      const everything = (): void => {
        for (const name of growingFiles) send(name);
        for (const name of listRest(folder)) bring(name);
        write({ exit: exitCode });
      };
      while (!tryTo(everything)) await sleep(1000);
    },
  };
}

type Line = Omit<FilePiece, "n"> | { exit: number };

/** Makes a function that writes numbered lines. A torn line is ended and written again with the same number. */
function makeWriter(fd: number): (line: Line) => void {
  let n = 0;
  let isTorn = false;
  return (line) => {
    const bytes = Buffer.from(`${isTorn ? "\n" : ""}${lineMark}${JSON.stringify({ n, ...line })}\n`);
    isTorn = true;
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    isTorn = false;
    n += 1;
  };
}

function tryTo(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    console.error(String(error));
    return false;
  }
}

type Piece = { fromByte: number; sizeBytes: number; base64: string };

/** Calls `onPiece` for each piece of a file from an offset on, with the offset at which the piece ends. */
function readPieces(path: string, fromByte: number, onPiece: (piece: Piece, endByte: number) => void): void {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return;
  const file = openSync(path, "r");
  try {
    const sizeBytes = fstatSync(file).size;
    const buffer = Buffer.alloc(Math.min(pieceBytes, Math.max(0, sizeBytes - fromByte)));
    for (let at = fromByte; at < sizeBytes;) {
      const length = readSync(file, buffer, 0, Math.min(buffer.length, sizeBytes - at), at);
      if (length === 0) return;
      onPiece({ fromByte: at, sizeBytes, base64: buffer.toString("base64", 0, length) }, at + length);
      at += length;
    }
  } finally {
    closeSync(file);
  }
}

/** Files that the studio already has, or that are copied on their own. */
const others = new Set<string>([...growingFiles, "spec.json", "external.json"]);

function listRest(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(draft|part)$/.test(entry.name))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .split(sep)
        .join("/"),
    )
    .filter((name) => !others.has(name) && !name.startsWith("earlier/"));
}

function newestCheckpoint(folder: string): string[] {
  const names = listRest(folder)
    .filter((name) => name.startsWith("checkpoints/"))
    .toSorted();
  const newest = names.findLast((name) => name.startsWith("checkpoints/iteration-"));
  return names.filter((name) => !name.startsWith("checkpoints/iteration-") || name === newest);
}
