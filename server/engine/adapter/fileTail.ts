import { open, readFile, stat } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { type LiveStream, type LoggedStep, readLogHistory } from "#packages/trainers";

/** Reader of a growing file: `look` reads its new bytes; `end` also reads a last line without a line end. */
export type Tail = { look(): Promise<void>; end(): Promise<void> };

/** Reads the new lines of a growing file. A file that has become shorter was restarted and is read from its start. */
export function tailLines(path: string, stream: LineStream): Tail {
  let cutter = makeLineCutter(stream);
  let offset = 0;
  const look = async () => {
    const size = await sizeOf(path);
    if (size === undefined) return;
    if (size < offset) {
      offset = 0;
      cutter = makeLineCutter(stream);
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

/** Reads new entries of TRL's `trainer_state.json`; a restart replaces some. Entries without a step are texts. */
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
 * Receives the lines of a growing file. `onLine`: the line, its number from 1 (parts of a line that carriage returns
 * separate share its number), and true if it ends in a line break. `onLong`: a description of a line that was dropped.
 */
type LineStream = Pick<LiveStream, "onLine" | "onLong">;

/** Splits a byte stream into lines. An incomplete last line is kept until its end arrives; a long one is dropped. */
export function makeLineCutter({ onLine, onLong }: LineStream) {
  const decoder = new TextDecoder();
  let rest = "";
  let number = 1;
  let isDropping = false;
  return {
    push(bytes: Uint8Array): void {
      rest += afterDropped(decoder.decode(bytes, { stream: true }));
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
    if (rest.length <= maxLineLength) return;
    onLong(`${rest.slice(0, 80)}… (a line may have ${maxLineLength.toLocaleString("en-US")} characters)`);
    isDropping = !rest.endsWith("\r");
    rest = isDropping ? "" : "\r";
  }
  function afterDropped(text: string): string {
    if (!isDropping) return text;
    const end = text.search(/[\r\n]/);
    isDropping = end === -1;
    return isDropping ? "" : text.slice(end);
  }
}

const maxLineLength = 1 << 20;
