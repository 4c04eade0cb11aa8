export type Draft = { title: string; body: string };
/** State of saving. `conflict`: somebody else saved meanwhile, and nothing is saved until the writer decides. */
export type SaveStatus = "saved" | "unsaved" | "saving" | "failed" | "conflict";

type Options = {
  revision: number;
  /** Saves the draft if `revision` is still the newest; resolves to the new revision's number. */
  save: (draft: Draft, revision: number) => Promise<number>;
  isConflict: (error: unknown) => boolean;
  onStatus: (status: SaveStatus) => void;
  /** Delay in ms from the last keystroke to the save. */
  delayMs?: number;
  /** Delay in ms before a retry after a failed save; typing replaces it by `delayMs`. */
  retryMs?: number;
};

export type Autosave = {
  change: (draft: Draft) => void;
  flush: () => void;
  hasUnsaved: () => boolean;
  stop: () => void;
};

/** Saves a draft after a pause in typing: one save at a time, always the newest text, with retries after a failure. */
export function makeAutosave({
  save,
  isConflict,
  onStatus,
  delayMs = 800,
  retryMs = 4000,
  ...start
}: Options): Autosave {
  let revision = start.revision;
  let waiting: Draft | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let state: SaveStatus = "saved";
  const set = (next: SaveStatus) => {
    state = next;
    onStatus(next);
  };
  const schedule = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void run(), ms);
  };
  const isBlocked = () => state === "saving" || state === "conflict";
  const run = async (): Promise<void> => {
    clearTimeout(timer);
    if (waiting === undefined || isBlocked()) return;
    const draft = waiting;
    waiting = undefined;
    set("saving");
    try {
      revision = await save(draft, revision);
      set(waiting === undefined ? "saved" : "unsaved");
    } catch (error) {
      waiting ??= draft;
      set(isConflict(error) ? "conflict" : "failed");
    }
    if (waiting !== undefined && !isBlocked()) schedule(state === "failed" ? retryMs : delayMs);
  };
  return {
    change: (draft) => {
      waiting = draft;
      if (isBlocked()) return;
      set("unsaved");
      schedule(delayMs);
    },
    flush: () => void run(),
    hasUnsaved: () => state !== "saved",
    stop: () => clearTimeout(timer),
  };
}
