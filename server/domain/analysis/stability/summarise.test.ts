import { expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import type { Finding } from "../claims/findings.ts";
import { summariseClaims } from "../claims/claimsTable.ts";
import { reportRescue, type RescueRun } from "../rescue/rescue.ts";
import { summariseRescue } from "../rescue/rescueTable.ts";
import { reportSurvival, type WatchedRun } from "./survival.ts";
import { summariseSurvival } from "./survivalTable.ts";

/** Makes 12 pairs of runs of which the other method's collapse at iteration 20 with a probability. */
function makeRuns(probability: number, seed = 0): WatchedRun[] {
  const rng = split(seed, "summarise");
  return ["GRPO", "SAMPO"].flatMap((group) =>
    Array.from({ length: 12 }, (_, i): WatchedRun => {
      const isEvent = rng.next() < (group === "GRPO" ? 0.9 : probability);
      const duration = { time: isEvent ? 20 + i : 60, isEvent };
      return {
        runId: `${group}${i}`,
        group,
        stratum: "",
        seed: i,
        duration,
        isUnclear: false,
        success: 0.5,
        watched: 60,
        hours: 1,
      };
    }),
  );
}

it("names a group only if its difference is significant", () => {
  expect(summariseSurvival(reportSurvival(makeRuns(0), "GRPO"))).toMatch(
    /^\d+ of 24 runs collapsed\. Collapsed: GRPO \d+ of 12, SAMPO \d+ of 12\. SAMPO \(p .*\) trains longer than GRPO without a collapse\.$/,
  );
  expect(summariseSurvival(reportSurvival(makeRuns(0.9), "GRPO"))).toMatch(
    /^\d+ of 24 runs collapsed\. Collapsed: GRPO and SAMPO \d+ of 12 each\. No difference from GRPO is shown for SAMPO\.$/,
  );
  expect(summariseSurvival(reportSurvival(makeRuns(0), "GRPO", { numAwaited: 1 }))).toBe("");
  const still = makeRuns(0).map((run) => ({ ...run, duration: { time: 60, isEvent: false } }));
  // The Wilson interval of 0 of 12 ends at 1.96² / (12 + 1.96²).
  expect(summariseSurvival(reportSurvival(still, "GRPO"))).toBe(
    "0 of 24 runs collapsed; 12 runs of a group cannot exclude a collapse rate up to 24 %.",
  );
  // By its symmetry, the interval of 12 of 12 ends at 1.
  const unclear = still.map((run) => ({ ...run, isUnclear: run.group === "GRPO" }));
  expect(summariseSurvival(reportSurvival(unclear, "GRPO"))).toBe(
    "0 of 24 runs collapsed, 12 unclear; 12 runs of a group cannot exclude a collapse rate up to 100 %.",
  );
});

/** Makes branches of six runs, of which the change adds some success. */
function makeBranches(gain: number): RescueRun[] {
  const rng = split(1, "branches");
  return Array.from({ length: 6 }, (_, origin) =>
    ["nothing", "KL × 5"].flatMap((arm) =>
      [1, 2, 3].map((continuation): RescueRun => {
        const success = 0.3 + 0.1 * rng.next() + (arm === "nothing" ? 0 : gain);
        const place = {
          runId: `${origin}${arm}${continuation}`,
          origin: `r${origin}`,
          iteration: 20,
          lead: 10,
          group: "GRPO",
        };
        const outcome = {
          outcome: "kept",
          hindsight: "healthy",
          time: 20,
          numIterations: 20,
          numWhole: 40,
          ms: 1,
        } as const;
        return { ...place, ...outcome, arm, continuation, success };
      }),
    ),
  ).flat();
}

it("names a change only if its effect is significant", () => {
  expect(summariseRescue(reportRescue(makeBranches(0.3)))).toMatch(
    /^Over 6 runs: KL × 5 \(\+\d+ \[.*\] points\) raises success\. Unchanged, 0 of 18 runs collapsed: the recorded collapse did not repeat\.$/,
  );
  const withOutcome = (gain: number, collapsed: number) => {
    const count = { numCollapsed: collapsed, numUnclear: 2, numJudged: 18 };
    const report = reportRescue(makeBranches(gain));
    return { ...report, overall: report.overall.map((arm) => (arm.isNothing ? { ...arm, ...count } : arm)) };
  };
  expect(summariseRescue(withOutcome(-0.2, 8))).toMatch(/^Over 6 runs: KL × 5 \(.*\) lowers success\.$/);
  expect(summariseRescue(withOutcome(0, 7))).toMatch(
    / Unchanged, 7 of 18 runs collapsed, 2 unclear: the recorded collapse rarely repeated\.$/,
  );
  const none = withOutcome(0, 18);
  expect(summariseRescue(none)).toBe("Over 6 runs: no effect is shown for KL × 5.");
  const five = none.overall.flatMap((arm) => (arm.isNothing ? [arm] : Array.from({ length: 5 }, () => arm)));
  const leads = [
    { difference: 0.004, lead: "the largest gain" },
    { difference: 0, lead: "none has a gain, and the highest difference" },
    { difference: -0.03, lead: "none has a gain, and the highest difference" },
  ];
  for (const { difference, lead } of leads) {
    const overall = five.map((arm) => ({ ...arm, successDifference: { ...arm.successDifference, difference } }));
    expect(summariseRescue({ ...none, overall })).toMatch(
      new RegExp(
        String.raw`^Over 6 runs: no effect is shown for any of 5 changes \(Holm’s correction\); ${lead} is that of KL × 5 \(.* \[.*\] points; p = .*\)\.$`,
      ),
    );
  }
});

it("counts claims by verdict, and says where no claim has enough runs", () => {
  const write = (...outcomes: Finding["outcome"][]) =>
    summariseClaims(
      outcomes.map((outcome, i): Finding => ({
        id: `c${i}`,
        claim: "",
        source: "",
        preset: "",
        rule: "all",
        parts: [],
        outcome,
      })),
    );
  expect(write("notEnough", "notEnough")).toBe("None of 2 claims has enough runs here.");
  expect(write("contradicted", "chance", "chance", "notEnough")).toBe(
    "Of 4 claims, 3 have enough runs here: 1 contradicted, 2 could be chance.",
  );
});
