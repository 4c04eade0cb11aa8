import { open, readFile, stat } from "node:fs/promises";
import { readLogHistory } from "#server/domain/external/trl.ts";
import type { LoggedStep } from "#server/domain/external/point.ts";
import { makeLineCutter, type OnLine } from "./lines.ts";

/** Reads what a file got since the last time; nothing while there is none. `end` reads the last line without its end. */
export type Tail = { look(): Promise<void>; end(): Promise<void> };

/** A file that grows line by line. One that has become shorter was begun anew, and is read from its start. */
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

/** TRL's `trainer_state.json`, written whole at every save: its log history, as far as it is new; an entry without a step as text. */
export function tailTrainerState(path: string, onEntry: (entry: LoggedStep | string) => void): Tail {
  let numSeen = 0;
  let seenSize = -1;
  const look = async () => {
    const size = await sizeOf(path);
    if (size === undefined || size === seenSize) return;
    const entries = readLogHistory(await readFile(path, "utf8"));
    // Half written: whole next time.
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
