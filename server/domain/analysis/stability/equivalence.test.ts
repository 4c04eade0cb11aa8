import { expect, it } from "vitest";
import { toHtml, toMarkdown } from "#packages/tables";
import { toLatex } from "#packages/tables/latex.ts";
import { reportEquivalence, summariseEquivalence, toEquivalenceTable } from "./equivalence.ts";
import type { WatchedRun } from "#server/domain/analysis/stability/survival.ts";

function makeRuns(group: string, successes: readonly (number | null)[]): WatchedRun[] {
  return successes.map((success, seed) => ({
    runId: `${group} ${seed}`,
    group,
    stratum: "control",
    seed,
    duration: { time: 80, isEvent: false },
    isUnclear: false,
    success,
    watched: 80,
    hours: 0.01,
  }));
}

const runs = [
  ...makeRuns("GRPO", [0.7, 0.72, 0.68, 0.75, 0.71]),
  ...makeRuns("same", [0.71, 0.71, 0.69, 0.74, 0.72]),
  ...makeRuns("worse", [0.6, 0.63, 0.57, 0.66, 0.6]),
  ...makeRuns("one pair", [0.7, null]),
  ...makeRuns("identity", [0.7, 0.72, 0.68]),
];

it("pairs seeds and says which group is within the margin", () => {
  const report = reportEquivalence(runs, "GRPO");
  expect(report.map(({ group, test }) => [group, test.numPairs])).toEqual([
    ["same", 5],
    ["worse", 5],
    ["one pair", 1],
    ["identity", 3],
  ]);
  expect(report[1]?.test.difference).toBeCloseTo(-0.1, 10);
  const { rows } = toEquivalenceTable(report, "GRPO");
  expect(rows.map(({ cells }) => cells.at(-1))).toEqual(
    ["equivalent", "not shown", "too few pairs", "equal in every pair"].map((text) => ({ kind: "text", text })),
  );
  expect(rows[0]?.runIds).toHaveLength(10);
});

it("names the equivalent groups in a sentence", () => {
  const report = reportEquivalence(runs, "GRPO");
  expect(summariseEquivalence(report, "GRPO")).toBe(
    "1 of 4 groups is shown to be within 5 points of GRPO in success: same.",
  );
  expect(summariseEquivalence(report.slice(1), "GRPO")).toBe(
    "None of 3 groups is shown to be within 5 points of GRPO in success.",
  );
});

it("never prints a p of zero", () => {
  const [group] = reportEquivalence(runs, "GRPO");
  if (!group) throw new Error("no group");
  const test = { ...group.test, notBelow: 2e-7, notAbove: 0.0314 };
  const bare = toEquivalenceTable([{ ...group, test }], "GRPO");
  const table = { ...bare, label: "equivalence", provenance: { sweepName: "Four" } };
  expect(toLatex(table)).toContain(" & $<$ 0.001 & 0.031 & ");
  expect(toMarkdown(table)).toContain("| &lt; 0.001 | 0.031 |");
  expect(toHtml(table)).toContain(">&lt; 0.001<");
});
