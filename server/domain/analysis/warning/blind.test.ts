import { describe, expect, it } from "vitest";
import { summariseBlind, toBlindCsv, toBlindTable } from "./blindTable.ts";
import { shippedConfig } from "#packages/detector/config.ts";
import { findRules, frozenRules } from "#packages/detector/versions.ts";
import { reportBlind, standingOf, type BlindRun } from "#packages/detector/evaluation/blind.ts";

const frozenAt = new Date("2026-11-22T12:00:00Z");
const rules = { version: "rules-1-0a0a0a0a", config: shippedConfig, frozenAt };
const after = new Date("2026-11-23T00:00:00Z");
const before = new Date("2026-11-22T11:59:59Z");
const declared = `Lag by learning rate. Detector frozen as ${rules.version}.`;

type Outcome = { lead?: number; falseAlarms?: number; hasCollapsed?: boolean };

/** Makes a run evaluated by a fictitious frozen rule with given alarms, and by a baseline without alarms. */
function makeRun(seed: number, outcome: Outcome, more: Partial<BlindRun> = {}): BlindRun {
  const { lead, falseAlarms = 0, hasCollapsed = lead !== undefined } = outcome;
  const common = { hasCollapsed, healthySteps: 50 };
  const judgements: BlindRun["hindsight"]["judgements"] = [
    { rule: "ours", ...common, isDetected: lead !== undefined, falseAlarms, ...(lead !== undefined && { lead }) },
    { rule: "theirs", ...common, isDetected: false, falseAlarms: 0 },
  ];
  const label = hasCollapsed
    ? ({ kind: "collapseTerminal", tags: [] } as const)
    : ({ kind: "healthy", tags: [] } as const);
  const hindsight = { label: { ...label, tags: [] }, judgements };
  return { runId: `run-${seed}`, seed, startedAt: after, description: declared, hindsight, ...more };
}

const runs = [
  makeRun(0, { lead: 4 }),
  makeRun(1, { lead: 6 }),
  makeRun(2, { lead: 20 }),
  makeRun(3, { hasCollapsed: true }),
  makeRun(4, { falseAlarms: 2 }),
  makeRun(5, {}),
];

describe("a run is blind to rules", () => {
  it.each([
    ["that its plan names and that were frozen before it began", {}, "declared"],
    ["that were frozen before, though nobody said so", { description: "" }, "later"],
    ["whose hash is another", { description: declared.replaceAll("a", "b") }, "later"],
    ["not if it began before, whatever its plan says", { startedAt: before }, "unknown"],
    ["not if nobody knows when it began", { startedAt: null }, "unknown"],
  ])("%s", (_, more, standing) => {
    expect(standingOf(makeRun(0, {}, more), rules)).toBe(standing);
  });
});

describe("the blind table", () => {
  const row = (half: "all" | "even" | "odd", rule: string) =>
    reportBlind(runs, rules, half)[0]?.rows.find((one) => one.rule === rule);

  it("gives recall, leads and false alarms with their intervals, rule by rule", () => {
    const ours = row("all", "ours");
    expect(ours?.evaluation).toMatchObject({
      recall: 3 / 4,
      numCollapses: 4,
      detected: 3,
      falseAlarmRate: 1000 * (2 / 300),
    });
    expect(ours?.evaluation.recallInterval.low).toBeCloseTo(0.3006, 4);
    expect(ours?.evaluation.lead.median).toBe(6);
    expect(ours?.leadInterval).toEqual({ low: 4, high: 20 });
    expect(ours?.alarmed).toMatchObject({ k: 1, n: 2 });
    expect(row("all", "theirs")).toMatchObject({
      evaluation: { recall: 0 },
      leadInterval: { low: NaN },
      alarmed: { k: 0 },
    });
  });

  it("keeps the halves of the seeds apart", () => {
    expect(row("even", "ours")?.evaluation).toMatchObject({ numRuns: 3, detected: 2, numCollapses: 2 });
    expect(row("odd", "ours")?.evaluation).toMatchObject({ numRuns: 3, detected: 1, numCollapses: 2 });
  });

  it("puts runs that are not blind under a heading of their own, and counts unclear ones as not collapsed", () => {
    const unclear = makeRun(7, {});
    const mixed = [
      ...runs,
      makeRun(6, { lead: 1 }, { startedAt: before }),
      { ...unclear, hindsight: { ...unclear.hindsight, label: { kind: "ambiguous" as const, tags: [] } } },
    ];
    const groups = reportBlind(mixed, rules, "all");
    expect(groups.map(({ standing, runIds, numCollapses }) => [standing, runIds.length, numCollapses])).toEqual([
      ["declared", 7, 4],
      ["unknown", 1, 1],
    ]);
    const table = toBlindTable({ rules, half: "all", groups });
    expect([...new Set(table.rows.map(({ heading }) => heading))]).toEqual([
      "Made after rules-1-0a0a0a0a was frozen, and planned under it: 4 of 7 runs collapsed, 1 unclear",
      "Made before rules-1-0a0a0a0a was frozen, or at an unknown time: 1 of 1 run collapsed",
    ]);
    expect(table.rows.map(({ isOurs }) => isOurs)).toEqual([true, undefined, true, undefined]);
    expect(toBlindCsv(mixed, rules)).toContain("rules-1-0a0a0a0a,run-6,6,unknown,collapseTerminal,ours,true,1,0,50");
  });
});

it("knows frozen rules by their hash, and refuses others by name", () => {
  expect(frozenRules.map(({ version }) => version)).toContain("rules-1-76477792");
  expect(() => findRules("rules-9-0")).toThrow('rules: no version "rules-9-0"; there are rules-1-76477792');
});

it("says in a sentence how many collapses the detector's own alarms found, how early, and how many were false", () => {
  // Leads 4, 6 and 20 have median 6; Wilson's intervals of 3/4 and 1/2.
  expect(summariseBlind(runs, "all")).toBe(
    "Our alarms found 3 of 4 collapses [30, 95] %, 6 iterations early in the median; 1 of 2 other runs [9, 91] % had a false alarm.",
  );
  expect(summariseBlind([makeRun(0, { lead: -3 })], "all")).toBe(
    "Our alarms found 1 of 1 collapse [21, 100] %, 3 iterations late in the median.",
  );
  expect(summariseBlind([makeRun(5, {})], "all")).toBe(
    "No run collapsed; none of 1 other run [0, 79] % had a false alarm.",
  );
  expect(summariseBlind(runs.slice(0, 1), "odd")).toBe("");
});
