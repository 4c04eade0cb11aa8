import { open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { isDiskFull } from "#trainer/spec/diskFull.ts";

/** An append-only file. Texts given during a write go to disk together with the next one. */
export type LineFile = {
  /** Resolves once the text is on disk (fsync). Texts are in the order of the calls. */
  append(text: string): Promise<void>;
  close(): Promise<void>;
};

/** Behaviour of a write on a full disk: it waits for space this long, or until `hurry` aborts. */
export type Patience = { waitMs: number; hurry?: AbortSignal };

const lookEveryMs = 500;

/**
 * Opens the file, or creates it. A text partially written to a full disk is cut off again. After a failed write all
 * later ones are refused: the file's contents are then unknown.
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
        // The caller of append gets the error.
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
