import { describe, expect, it } from "vitest";
import { makeDetector, toEffective } from "./detector.ts";
import { judgementOf, judgeRun } from "./evaluation/judge.ts";
import { causesOnly, rulesOf } from "./evaluation/rules.ts";
import { summarise } from "./evaluation/summarise.ts";
import { isClear, isCollapse } from "./label/label.ts";
import { labelPoints } from "./label/labelPoints.ts";
import { shippedConfig, versionOf, warmupOf } from "./config.ts";
import { replay } from "./replay.ts";
import { rank } from "./verdict/status.ts";
import { findRules, frozenRules } from "./versions.ts";
import type { Point } from "./signals/point.ts";
import { cohensKappa } from "./testing/cohensKappa.ts";
import { developmentFamilies, generateRun, heldOutFamilies, syntheticSize } from "./testing/generate.ts";

const effective = toEffective(syntheticSize);
const families = [...developmentFamilies, ...heldOutFamilies];
const runs = families.flatMap((family) =>
  Array.from({ length: 10 }, (_, seed) => {
    const run = generateRun(family, `test ${seed}`);
    return { ...run, label: labelPoints(run.points, effective) };
  }),
);

describe("the 18 families", () => {
  it("are the same for the same seed", () => {
    expect(generateRun("C_echo", 3)).toEqual(generateRun("C_echo", 3));
    expect(generateRun("C_echo", 3)).not.toEqual(generateRun("C_echo", 4));
    expect(families.length).toBe(18);
  });

  it("are labelled as they were planted: κ of 1, half of the peak within five steps, ten where it erodes", () => {
    const pairs = runs.map(({ label, collapseStep }) => [isCollapse(label), collapseStep !== undefined] as const);
    expect(cohensKappa(pairs)).toBeGreaterThanOrEqual(0.98);
    for (const { family, label, collapseStep } of runs) {
      if (collapseStep === undefined || label.collapseStep === undefined) continue;
      // Reward hacking loses success over dozens of steps, so noise moves the step at which half is lost.
      expect(Math.abs(label.collapseStep - collapseStep)).toBeLessThanOrEqual(family === "C_hack" ? 10 : 5);
    }
  });
});

describe("the shipped rules", () => {
  const rule = rulesOf(effective)("", "unstable");
  const causes = rulesOf(effective, causesOnly(shippedConfig))("", "unstable");
  const judge = (by: typeof rule, has: (family: string) => boolean) =>
    summarise(
      runs.filter(({ family }) => has(family)).map(({ points, label }) => judgeRun(by.alarms(points), label)),
      { resamples: 10 },
    );

  // Rules changed after the first look at the held-out families, but the changes were not tuned on them. `rewardNoises`
  // affects no result here, because success of synthetic runs is a rate. Synthetic runs have no evaluations before
  // training. The second version passes to the guards the metrics that these tests had always passed. The third version
  // was chosen on real runs with a stale sampler, and must only be no worse on these families. The fourth version
  // differs only for runs below 80 iterations, and all synthetic runs are longer. The fifth version expects KL to
  // grow in proportion to time; it was written after the first look at runs with such a KL, and is tested on other seeds.
  it("are frozen: what changed after the held-out families were looked at was not set on them", () => {
    expect(versionOf(shippedConfig)).toBe("rules-5-cdb5ec94");
    expect(frozenRules.map(({ version }) => version)).toEqual([
      "rules-1-76477792",
      "rules-2-d25ad7f5",
      "rules-3-d3d26ca3",
      "rules-4-be1c8094",
      "rules-5-cdb5ec94",
    ]);
  });

  it("find at least 95 % of the collapses of held-out mechanisms", () => {
    expect(judge(rule, (family) => heldOutFamilies.some((held) => held === family)).recall).toBeGreaterThanOrEqual(
      0.95,
    );
  });

  it("do not foresee by its causes a collapse that has none", () => {
    expect(judge(causes, (family) => family === "C_silent").recall).toBeLessThanOrEqual(0.1);
  });

  it.each([20, 32, 48])("judge runs of %i iterations, three quarters of each, and find their collapses", (length) => {
    const short = [...developmentFamilies, ...heldOutFamilies].flatMap((family) =>
      Array.from({ length: 2 }, (_, seed) => generateRun(family, `short ${seed}`, { length }).points),
    );
    const sized = { ...effective, iterations: length };
    const detector = makeDetector(sized);
    const judged = short.map((points) => {
      const statuses = replay(detector, points).readings.map(({ status }) => status);
      expect(statuses.filter((status) => status === "warmup").length).toBeLessThanOrEqual(length / 4);
      const alarms = statuses.map((status) => rank[status] >= rank.unstable);
      return judgeRun(alarms, labelPoints(points, sized), judgementOf(points, warmupOf(shippedConfig, length).run));
    });
    expect(summarise(judged, { resamples: 10 }).recall).toBeGreaterThanOrEqual(0.95);
  });

  it("raise at most .6 false alarms per 1,000 healthy steps over all families", () => {
    expect(judge(rule, () => true).falseAlarmRate).toBeLessThanOrEqual(0.6);
  });

  describe("on runs whose KL grows in proportion to time", () => {
    const all = [...developmentFamilies, ...heldOutFamilies];
    const make = (length: number, seeds: number) =>
      all.flatMap((family) =>
        Array.from({ length: seeds }, (_, seed) => {
          const { points } = generateRun(family, `growing ${seed}`, { length, klPower: 1 });
          return { points, label: labelPoints(points, effective) };
        }),
      );
    const readWith = (config: typeof shippedConfig, points: readonly Point[]) =>
      replay(makeDetector({ ...effective, iterations: points.length }, config), points);

    it.each([48, 60])("take the KL of a healthy run of %i iterations for no sign, and find collapses", (length) => {
      const runs = make(length, 4).filter(({ label }) => isClear(label));
      const healthy = runs.filter(({ label }) => !isCollapse(label)).map(({ points }) => points);
      const countKl = (config: typeof shippedConfig) =>
        healthy.filter((points) => readWith(config, points).readings.some(({ levels }) => (levels.reference ?? 0) >= 2))
          .length;
      expect(countKl(findRules("rules-4-be1c8094").config) / healthy.length).toBeGreaterThan(0.5);
      expect(countKl(shippedConfig) / healthy.length).toBeLessThanOrEqual(0.05);
      const judged = runs.map(({ points, label }) => {
        const alarms = readWith(shippedConfig, points).readings.map(({ status }) => rank[status] >= rank.unstable);
        return judgeRun(alarms, label, judgementOf(points, warmupOf(shippedConfig, length).run));
      });
      expect(summarise(judged, { resamples: 10 }).recall).toBeGreaterThanOrEqual(0.95);
    });

    it("give runs of 20 iterations the statuses of the fourth version", () => {
      const { config } = findRules("rules-4-be1c8094");
      for (const { points } of make(20, 4)) {
        const statusesBy = (rules: typeof shippedConfig) =>
          readWith(rules, points).readings.map(({ status }) => status);
        expect(statusesBy(shippedConfig)).toEqual(statusesBy(config));
      }
    });
  });
});
