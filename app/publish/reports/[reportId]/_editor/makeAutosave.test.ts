import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makeAutosave, type Draft, type SaveStatus } from "./makeAutosave.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const draft = (body: string): Draft => ({ title: "t", body });

function start(save: (draft: Draft, revision: number) => Promise<number>) {
  const statuses: SaveStatus[] = [];
  const autosave = makeAutosave({
    revision: 1,
    save,
    isConflict: (error) => String(error).includes("conflict"),
    onStatus: (status) => statuses.push(status),
  });
  return { autosave, statuses };
}

describe("autosave", () => {
  it("saves the newest when the writer pauses, with the revision that the last save made", async () => {
    const saved: [string, number][] = [];
    const { autosave, statuses } = start(async ({ body }, revision) => {
      saved.push([body, revision]);
      return revision + 1;
    });
    autosave.change(draft("a"));
    await vi.advanceTimersByTimeAsync(500);
    autosave.change(draft("ab"));
    await vi.advanceTimersByTimeAsync(799);
    expect(saved).toEqual([]);
    expect(autosave.hasUnsaved()).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    autosave.change(draft("abc"));
    await vi.advanceTimersByTimeAsync(800);
    expect(saved).toEqual([
      ["ab", 1],
      ["abc", 2],
    ]);
    expect(autosave.hasUnsaved()).toBe(false);
    expect(statuses).toEqual(["unsaved", "unsaved", "saving", "saved", "unsaved", "saving", "saved"]);
  });

  it("saves what was typed while it saved, one save at a time", async () => {
    const saved: string[] = [];
    const { autosave } = start(async ({ body }, revision) => {
      saved.push(`${body} of ${revision}`);
      await new Promise((resolve) => setTimeout(resolve, 3000));
      return revision + 1;
    });
    autosave.change(draft("a"));
    autosave.flush();
    autosave.change(draft("b"));
    autosave.flush();
    await vi.advanceTimersByTimeAsync(2000);
    expect(saved).toEqual(["a of 1"]);
    await vi.advanceTimersByTimeAsync(5000);
    expect(saved).toEqual(["a of 1", "b of 2"]);
    expect(autosave.hasUnsaved()).toBe(false);
  });

  it("tries again after a failure, and never over what another wrote", async () => {
    let problem = "no network";
    const saved: string[] = [];
    const { autosave, statuses } = start(async ({ body }, revision) => {
      if (problem !== "") throw new Error(problem);
      saved.push(body);
      return revision + 1;
    });
    autosave.change(draft("a"));
    await vi.advanceTimersByTimeAsync(800);
    expect(statuses.at(-1)).toBe("failed");
    problem = "";
    await vi.advanceTimersByTimeAsync(4000);
    expect(saved).toEqual(["a"]);
    problem = "conflict";
    autosave.change(draft("b"));
    await vi.advanceTimersByTimeAsync(800);
    problem = "";
    autosave.change(draft("c"));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(saved).toEqual(["a"]);
    expect(statuses.at(-1)).toBe("conflict");
    expect(autosave.hasUnsaved()).toBe(true);
  });
});
