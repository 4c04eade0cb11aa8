import { open } from "node:fs/promises";

/** A file that only grows. Texts given while a write is under way go to the disk together with the next one. */
export type LineFile = {
  /** Resolves once the text is on the disk, not only in the machine's memory. Texts stand in the order of the calls. */
  append(text: string): Promise<void>;
  close(): Promise<void>;
};

/** Opens the file, or makes it. After a failed write every later one is refused: what the file holds is then unknown. */
export async function openLineFile(path: string): Promise<LineFile> {
  const file = await open(path, "a");
  let waiting: string[] = [];
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();
  const flush = async (before: Promise<void>): Promise<void> => {
    await before;
    const texts = waiting;
    waiting = [];
    next = undefined;
    await file.appendFile(texts.join(""));
    await file.datasync();
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
