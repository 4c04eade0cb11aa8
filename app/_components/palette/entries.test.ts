import { describe, expect, it } from "vitest";
import { entriesOfPage, fixedEntries, splitVerb, sweepEntries } from "./entries.ts";

const sweep = { id: "a-1", name: "A", origin: "plan", intent: "run", isOpen: true };

describe("entries of the palette", () => {
  it("offer to pause what is under way, to resume what is paused, and neither of what is over or another trainer's", () => {
    expect(sweepEntries(sweep).actions).toMatchObject([
      { title: "Pause A", action: { kind: "intent", sweepId: "a-1", intent: "pause" } },
      { title: "Cancel A", action: { kind: "cancel", of: { kind: "sweep", id: "a-1" } } },
    ]);
    expect(sweepEntries({ ...sweep, intent: "pause" }).actions).toMatchObject([
      { title: "Resume A" },
      { title: "Cancel A" },
    ]);
    for (const other of [{ isOpen: false }, { origin: "import" }, { intent: "cancel" }]) {
      expect(sweepEntries({ ...sweep, ...other }).actions).toEqual([]);
    }
  });

  it("search for a sweep without the verb before its name", () => {
    expect(splitVerb("Pause table 3")).toEqual({ verb: "pause", rest: "table 3" });
    expect(splitVerb("resume x")).toEqual({ verb: "resume", rest: "x" });
    expect(splitVerb("cancel night")).toEqual({ verb: "cancel", rest: "night" });
    expect(splitVerb("paused")).toEqual({ verb: undefined, rest: "paused" });
  });

  it("are about the sweep whose page is open, and each has an id of its own", () => {
    expect(entriesOfPage("/sweeps/a-1").map(({ action }) => action)).toContainEqual({
      kind: "open",
      href: "/analysis/compare?sweep=a-1",
    });
    expect(entriesOfPage("/sweeps/new")).toEqual([]);
    expect(entriesOfPage("/sweeps")).toEqual([]);
    const ids = [...fixedEntries.pages, ...fixedEntries.actions, ...entriesOfPage("/sweeps/a")].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("star, archive and retry the sweep or run at hand, and undo the first two", () => {
    const plain = { isFavourite: false, isArchived: false, numToRetry: 0, canCancel: false };
    const of = { kind: "run", id: "r-1" };
    expect(entriesOfPage("/runs/r-1", plain)).toMatchObject([
      { title: "Star this run", action: { kind: "mark", of, marks: { isFavourite: true } } },
      { title: "Archive this run", action: { kind: "mark", of, marks: { isArchived: true } } },
    ]);
    const marked = { isFavourite: true, isArchived: true, numToRetry: 2, canCancel: false };
    expect(entriesOfPage("/runs/r-1", marked).map(({ title }) => title)).toEqual([
      "Retry this run",
      "Unstar this run",
      "Unarchive this run",
    ]);
    expect(entriesOfPage("/sweeps/a", marked).map(({ title }) => title)).toContain("Retry 2 runs of this sweep");
    expect(entriesOfPage("/runs/r-1", { ...plain, canCancel: true })[0]).toMatchObject({
      title: "Cancel this run",
      action: { kind: "cancel", of },
    });
    expect(entriesOfPage("/runs", plain)).toEqual([]);
  });
});
