import { open, readFile, stat } from "node:fs/promises";
import { readLogHistory, type LoggedStep } from "#packages/trainers";
import { makeLineCutter, type OnLine } from "./lines.ts";

/** Reads the new bytes of a file; nothing while there is no file. `end` also reads a last line without a line end. */
export type Tail = { look(): Promise<void>; end(): Promise<void> };

/** Tails a file that grows line by line. A file that became shorter was restarted and is read from its start. */
export function tailLines(path: string, onLine: OnLine): Tail {
  let cutter = makeLineCutter(onLine);
  let offset = 0;
  const look = async () => {
    const size = await sizeOf(path);
    if (size === undefined) return;
    if (size < offset) {
      offset = 0;
      cutter = makeLineCutter(onLine);
    }
    while (offset < size) {
      const file = await open(path);
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, offset);
        if (bytesRead === 0) return;
        offset += bytesRead;
        cutter.push(buffer.subarray(0, bytesRead));
      } finally {
        await file.close();
      }
    }
  };
  return {
    look,
    end: async () => {
      await look();
      cutter.end();
    },
  };
}

/**
 * Tails TRL's `trainer_state.json`, which is rewritten at every save: new entries of its log history; an entry without
 * a step is returned as text.
 */
export function tailTrainerState(path: string, onEntry: (entry: LoggedStep | string) => void): Tail {
  let numSeen = 0;
  let seenSize = -1;
  const look = async () => {
    const size = await sizeOf(path);
    if (size === undefined || size === seenSize) return;
    const entries = readLogHistory(await readFile(path, "utf8"));
    // Partially written: complete at the next read.
    if (entries === undefined) return;
    seenSize = size;
    for (const entry of entries.slice(numSeen)) onEntry(entry);
    numSeen = Math.max(numSeen, entries.length);
  };
  return { look, end: look };
}

const chunkBytes = 1 << 18;

async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size;
}
