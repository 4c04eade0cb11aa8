import { open, readFile, stat } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { type LoggedStep, readLogHistory } from "#packages/trainers";

/** Reader of a growing file: `look` reads its new bytes; `end` also reads a last line without a line end. */
export type Tail = { look(): Promise<void>; end(): Promise<void> };

/** Reads the new lines of a growing file. A file that has become shorter was restarted and is read from its start. */
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
 * Reads the new entries of the log history in TRL's `trainer_state.json`, which is rewritten at every save. A trainer
 * that restarts from an earlier checkpoint replaces the entries after it. An entry without a step is passed on as text.
 */
export function tailTrainerState(path: string, onEntry: (entry: LoggedStep | string) => void): Tail {
  let seen: readonly (LoggedStep | string)[] = [];
  let seenSize = -1;
  const look = async () => {
    const size = await sizeOf(path);
    if (size === undefined || size === seenSize) return;
    const entries = readLogHistory(await readFile(path, "utf8"));
    // A file that is only partially written is read again at the next poll.
    if (entries === undefined) return;
    seenSize = size;
    const firstNew = entries.findIndex((entry, i) => !isDeepStrictEqual(entry, seen[i]));
    for (const entry of firstNew === -1 ? [] : entries.slice(firstNew)) onEntry(entry);
    seen = entries;
  };
  return { look, end: look };
}

const chunkBytes = 1 << 18;

async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size;
}

/**
 * Receives a line of a growing file. `isEnded`: true if the line ends in a line break. `number`: line number from 1;
 * parts of a line that carriage returns separate share its number.
 */
type OnLine = (line: string, number: number, isEnded: boolean) => void;

/** Splits a byte stream into lines. An incomplete last line is kept until its end arrives. */
export function makeLineCutter(onLine: OnLine) {
  const decoder = new TextDecoder();
  let rest = "";
  let number = 1;
  return {
    push(bytes: Uint8Array): void {
      rest += decoder.decode(bytes, { stream: true });
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        // A progress bar overwrites its line by printing carriage returns.
        for (const part of line.split("\r")) if (part !== "") onLine(part, number, true);
        number += 1;
      }
      const lastReturn = rest.lastIndexOf("\r");
      if (lastReturn === -1 || lastReturn === rest.length - 1) {
        cutLong();
        return;
      }
      for (const part of rest.slice(0, lastReturn).split("\r")) if (part !== "") onLine(part, number, true);
      rest = rest.slice(lastReturn + 1);
      cutLong();
    },
    /** Ends the stream. A last line without a line end is passed on with `isEnded` false. */
    end(): void {
      for (const part of rest.split("\r")) if (part !== "") onLine(part, number, rest.endsWith("\r"));
      rest = "";
    },
  };
  function cutLong(): void {
    // Without a limit, a line that never ends would fill the memory.
    if (rest.length > maxLineLength) rest = "";
  }
}

const maxLineLength = 1 << 20;
