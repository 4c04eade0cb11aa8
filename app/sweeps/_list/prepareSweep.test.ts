import { expect, test } from "vitest";
import type { SweepSummary } from "#server/db/plan/sweeps.ts";
import { nameInStudy, readableName } from "#server/domain/plan/sweep/readableName.ts";
import { formatTime } from "../[sweepId]/SweepHead.tsx";
import {
  chooseSweeps,
  describeGroup,
  groupSweeps,
  listGroupLinks,
  prepareProgress,
  prepareState,
  prepareTime,
} from "./prepareSweep.ts";

const none = { pending: 0, starting: 0, running: 0, unknown: 0, finished: 0, failed: 0, cancelled: 0 };

function sweep(counts: Partial<SweepSummary["counts"]>, rest: Partial<SweepSummary> = {}): SweepSummary {
  const all = { ...none, ...counts };
  return {
    id: "a",
    name: "A",
    description: "",
    intent: "run",
    cancelledBy: null,
    cancelAt: null,
    importedAt: null,
    origin: "plan",
    createdAt: new Date(0),
    tags: [],
    isFavourite: false,
    isArchived: false,
    methods: ["GRPO"],
    environments: ["sokoban"],
    numCells: 1,
    numRuns: Object.values(all).reduce((sum, n) => sum + n, 0),
    counts: all,
    numJudged: 0,
    numCollapsed: 0,
    numUnclear: 0,
    iterationsDone: 0,
    iterationsLeft: 0,
    busyMs: 0,
    startedAt: null,
    endedAt: null,
    ...rest,
  };
}

test.each([
  [sweep({ pending: 8 }), "Waiting"],
  [sweep({ pending: 7, starting: 1 }), "Running"],
  [sweep({ running: 8 }, { origin: "import" }), "Importing"],
  [sweep({ finished: 8 }, { origin: "import" }), "Finished"],
  [sweep({ pending: 7, running: 1 }, { intent: "pause" }), "Pausing"],
  [sweep({ pending: 7, finished: 1 }, { intent: "pause" }), "Paused"],
  [sweep({ pending: 8 }, { fullDisks: ["here", "far"] }), "Paused: disk full on here, far"],
  [sweep({ running: 1, finished: 1 }, { intent: "cancel" }), "Cancelling"],
  [sweep({ cancelled: 2, finished: 1 }, { intent: "cancel" }), "2 cancelled"],
  [sweep({ cancelled: 2 }, { intent: "cancel" }), "Cancelled"],
  [sweep({ finished: 8 }), "Finished"],
  [sweep({ finished: 8 }, { intent: "pause" }), "Finished"],
  [sweep({ finished: 6, failed: 2 }), "2 failed"],
  [sweep({ failed: 2 }), "Failed"],
])("a sweep's state %# is said in one word or two: %s", (one, text) => {
  expect(prepareState(one).text).toBe(text);
});

test("progress names only what there is", () => {
  expect(prepareProgress(sweep({ finished: 5, running: 1, starting: 1, failed: 1 })).text).toBe(
    "5 finished, 2 running, 1 failed of 8",
  );
  expect(prepareProgress(sweep({ pending: 3 })).text).toBe("none started of 3");
  expect(prepareProgress({ ...sweep({ finished: 3 }), numRuns: 3 }).text).toBe("3 runs");
});

test("the time left follows the pace of the iterations done", () => {
  const startedAt = new Date(0);
  const one = sweep({ running: 2, pending: 2 }, { startedAt, iterationsDone: 30, iterationsLeft: 90, busyMs: 240_000 });
  expect(prepareTime(one, null)).toBe("about 6 min left");
  expect(prepareTime({ ...one, iterationsDone: 0 }, null)).toBe("");
  expect(prepareTime({ ...one, intent: "pause" }, null)).toBe("");
  expect(prepareTime(sweep({ finished: 4 }, { startedAt, endedAt: new Date(330_000) }), null)).toBe("took 5 min 30 s");
});

test("the list tells the same time left as the sweep's page: the plan's", () => {
  const startedAt = new Date(0);
  const one = sweep({ running: 1, pending: 2 }, { startedAt, iterationsDone: 30, iterationsLeft: 90, busyMs: 1e9 });
  const planned = { doneMs: 60_000, leftMs: 240_000, speed: 1.5 };
  expect(prepareTime(one, planned)).toBe("about 6 min left");
  expect(formatTime(one, 60_000, planned)).toBe("1 min so far, about 6 min left");
  expect(prepareTime(one, undefined), "the estimate loads").toBe("");
});

test("sweeps are found by all words of a text, wherever they stand, and those under way come first", () => {
  const sweeps = [
    sweep({ finished: 4 }, { id: "done", name: "Staleness", environments: ["alfworld"] }),
    sweep({ running: 1, pending: 3 }, { id: "busy", name: "Clip range", methods: ["GRPO", "SAMPO"] }),
    sweep({ failed: 1 }, { id: "bad", name: "Clip range", environments: ["sweGym"] }),
  ];
  const find = (text: string) => chooseSweeps(sweeps, text).map(({ id }) => id);
  expect(find("")).toEqual(["busy", "done", "bad"]);
  expect(find(" clip  RANGE ")).toEqual(["busy", "bad"]);
  expect(find("clip sampo")).toEqual(["busy"]);
  expect(find("ALFWorld")).toEqual(["done"]);
  expect(find("swe-gym failed")).toEqual(["bad"]);
  expect(find("clip alfworld")).toEqual([]);
});

test("large numbers have separators", () => {
  expect(prepareProgress(sweep({ cancelled: 10_000 })).text).toBe("10,000 cancelled of 10,000");
});

test("branches of a sweep's runs stand together, and have readable names", () => {
  const branchOf = (seed: number, name: string) => {
    const run = { runId: `table-3-c3-s${seed}`, name: `CISPO, seed ${seed} (Table 3, Sokoban)` };
    return sweep(
      { finished: 1 },
      { name, branchedFrom: { ...run, sweepId: "table-3", sweepName: "Table 3, Sokoban" } },
    );
  };
  const sweeps = [
    branchOf(2, "Rescue of table-3-c3-s2 after 22"),
    sweep({}, { name: "Clip" }),
    branchOf(1, "Rescue of table-3-c3-s1 after 9"),
  ];
  expect(
    groupSweeps(sweeps, undefined).map(({ title, areBranches, sweeps }) => [
      title,
      areBranches,
      ...sweeps.map(nameInStudy),
    ]),
  ).toEqual([
    ["Branches of Table 3, Sokoban", true, "Rescue of CISPO, seed 2 after 22", "Rescue of CISPO, seed 1 after 9"],
    [undefined, undefined, "Clip"],
  ]);
  expect(readableName(branchOf(2, "Rescue of table-3-c3-s2"))).toBe("Rescue of CISPO, seed 2 (Table 3, Sokoban)");
  const gone = { runId: "x", name: null, sweepId: null, sweepName: null };
  expect(readableName({ name: "Rescue of x", branchedFrom: gone })).toBe("Rescue of x");
});

test("a sweep without runs is being imported, or waits for the first sample of its search", () => {
  expect(prepareState(sweep({}, { importedAt: new Date(0) })).text).toBe("Importing");
  expect(prepareState(sweep({})).text).toBe("Waiting");
  expect(prepareState(sweep({}, { intent: "cancel" })).text, "cancelled before its first run").toBe("Cancelled");
  expect(prepareProgress(sweep({})).text).toBe("no runs yet");
});

test("sweeps of one study stand together, where the first of them would; sorting reorders both", () => {
  const named = (name: string, numCollapsed: number) => sweep({ finished: 4 }, { name, numCollapsed, numJudged: 4 });
  const sweeps = [
    named("Table 3, Sokoban", 1),
    named("Clip range", 3),
    named("Table 3, WebShop", 2),
    sweep({ pending: 4 }, { name: "Waiting" }),
  ];
  const names = (...asked: Parameters<typeof groupSweeps>) =>
    groupSweeps(...asked).map(({ title, sweeps }) => [title, ...sweeps.map(({ name }) => name)]);
  expect(names(sweeps, undefined)).toEqual([
    ["Table 3", "Table 3, Sokoban", "Table 3, WebShop"],
    [undefined, "Clip range"],
    [undefined, "Waiting"],
  ]);
  expect(names(sweeps, { by: "collapsed", isDescending: true })).toEqual([
    [undefined, "Clip range"],
    ["Table 3", "Table 3, WebShop", "Table 3, Sokoban"],
    [undefined, "Waiting"],
  ]);
});

test("the heading of a group says the states that its rows would show", () => {
  const sweeps = [
    sweep({ finished: 2 }, { numJudged: 2, numCollapsed: 1 }),
    sweep({ finished: 1, failed: 2, cancelled: 1 }, { isFavourite: true }),
    sweep({ running: 1, failed: 1 }),
    sweep({ pending: 2 }, { fullDisks: ["Ada"] }),
    sweep({ pending: 1 }, { intent: "pause" }),
  ];
  expect(describeGroup(sweeps)).toBe(
    "5 sweeps, 11 runs, 1 of 2 judged runs collapsed; 1 running; 1 paused: disk full on Ada; 1 paused; 3 failed runs; 1 cancelled run; 1 favourite",
  );
  expect(describeGroup(sweeps.slice(0, 1))).toBe("1 sweep, 2 runs, 1 of 2 judged runs collapsed");
});

test("links of a group name no more sweeps than questions accept; those of branches then name the origin sweep", () => {
  const list = (n: number, rest: Partial<SweepSummary> = {}) =>
    Array.from({ length: n }, (_, i) => sweep({}, { id: String(i), ...rest }));
  const branchedFrom = { runId: "a-c0-s1", name: "GRPO, seed 1 (A)", sweepId: "a", sweepName: "A" };
  const linksOf = (areBranches: boolean, sweeps: SweepSummary[]) =>
    listGroupLinks({ areBranches, sweeps }).map(({ href }) => href);
  expect(linksOf(false, list(2))).toEqual(["/analysis/stability?sweep=0&sweep=1", "/publish/tables?sweep=0&sweep=1"]);
  expect(linksOf(false, list(20))).toHaveLength(2);
  expect(linksOf(false, list(21))).toEqual([]);
  expect(linksOf(true, list(2, { branchedFrom }))).toEqual(["/analysis/rescue?sweep=0&sweep=1"]);
  expect(linksOf(true, list(21, { branchedFrom }))).toEqual(["/analysis/rescue?sweep=a"]);
  expect(linksOf(true, list(21, { branchedFrom: { ...branchedFrom, sweepId: null } }))).toEqual([]);
});
