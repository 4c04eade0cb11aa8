import { open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { isDiskFull } from "#trainer/spec/diskFull.ts";

/** A file that only grows. Texts given while a write is under way go to the disk together with the next one. */
export type LineFile = {
  /** Resolves once the text is on the disk, not only in the machine's memory. Texts stand in the order of the calls. */
  append(text: string): Promise<void>;
  close(): Promise<void>;
};

/** What a write does that finds the disk full: it waits for room this long, or until it is told to hurry. */
export type Patience = { waitMs: number; hurry?: AbortSignal };

const lookEveryMs = 500;

/**
 * Opens the file, or makes it. A text that a full disk takes in part is cut off again. After a failed write every later
 * one is refused: what the file holds is then unknown.
 */
export async function openLineFile(path: string, { waitMs, hurry }: Patience = { waitMs: 0 }): Promise<LineFile> {
  const file = await open(path, "a");
  let { size } = await file.stat();
  let waiting: string[] = [];
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();
  const write = async (bytes: Buffer): Promise<void> => {
    const untilMs = Date.now() + waitMs;
    for (;;) {
      try {
        await file.appendFile(bytes);
        await file.datasync();
        size += bytes.length;
        return;
      } catch (error) {
        if (isDiskFull(error)) await file.truncate(size);
        if (!isDiskFull(error) || hurry?.aborted === true || Date.now() >= untilMs) throw error;
        await sleep(lookEveryMs, undefined, { ...(hurry && { signal: hurry }) }).catch(() => undefined);
      }
    }
  };
  const flush = async (before: Promise<void>): Promise<void> => {
    await before;
    const texts = waiting;
    waiting = [];
    next = undefined;
    await write(Buffer.from(texts.join("")));
  };
  return {
    append: (text) => {
      waiting.push(text);
      if (next === undefined) {
        next = flush(last);
        last = next;
        // Whoever appended hears of it.
        last.catch(() => undefined);
      }
      return next;
    },
    close: async () => {
      await last.catch(() => undefined);
      await file.close();
    },
  };
}
