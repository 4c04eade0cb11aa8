/**
 * Compares the frozen rules on runs whose KL grows with time, as Markdown: `node bench/compiled.mjs
 * growing [RUNS 40] [--seeds NAME]`. Every family of synthetic runs has RUNS runs per length; the KL grows in
 * proportion to time, or with its square root.
 */
import {
  frozenRules,
  isClear,
  judgement,
  judgeRun,
  labelPoints,
  makeDetector,
  rank,
  replay,
  summarise,
  toEffective,
  warmupOf,
  shippedConfig,
} from "#packages/detector";
import {
  developmentFamilies,
  generateRun,
  heldOutFamilies,
  syntheticSize,
} from "#packages/detector/testing/generate.ts";

const words = process.argv.slice(2);
const numRuns = words.map(Number).find(Number.isFinite) ?? 40;
const series = words.includes("--seeds") ? words[words.indexOf("--seeds") + 1] : "bench";
const families = [...developmentFamilies, ...heldOutFamilies];

console.log(
  "| KL | steps | rules | healthy runs | with a warning | unstable | per 1,000 steps: warning, unstable | collapses | found: warning, unstable | lead: warning, unstable |",
);
console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
for (const [title, klPower] of [
  ["∝ t", 1],
  ["∝ √t", 0.5],
] as const) {
  for (const length of [20, 32, 48, 60, 80, 150]) {
    const effective = { ...toEffective(syntheticSize), iterations: length };
    const runs = families.flatMap((family) =>
      Array.from(
        { length: numRuns },
        (_, seed) => generateRun(family, `${series} ${seed}`, { length, klPower }).points,
      ),
    );
    const labelled = runs
      .map((points) => ({ points, label: labelPoints(points, effective) }))
      .filter(({ label }) => isClear(label));
    const rule = { ...judgement, warmup: warmupOf(shippedConfig, length).run };
    for (const { version, config } of frozenRules.slice(2)) {
      const detector = makeDetector(effective, config);
      const statuses = labelled.map(({ points }) => replay(detector, points).readings.map(({ status }) => status));
      const [warning, unstable] = (["warning", "unstable"] as const).map((from) => {
        const judged = labelled.map(({ label }, i) =>
          judgeRun(
            (statuses[i] ?? []).map((status) => rank[status] >= rank[from]),
            label,
            rule,
          ),
        );
        const healthy = judged.filter(({ hasCollapsed }) => !hasCollapsed);
        const numAlarmed = healthy.filter(({ falseAlarms }) => falseAlarms > 0).length;
        return { ...summarise(judged, { resamples: 1 }), numHealthy: healthy.length, numAlarmed };
      });
      if (!warning || !unstable) continue;
      const cells = [
        title,
        length,
        version,
        warning.numHealthy,
        warning.numAlarmed,
        unstable.numAlarmed,
        `${warning.falseAlarmRate.toFixed(2)}, ${unstable.falseAlarmRate.toFixed(2)}`,
        warning.numCollapses,
        `${warning.detected}, ${unstable.detected}`,
        `${warning.lead.median}, ${unstable.lead.median}`,
      ];
      console.log(`| ${cells.join(" | ")} |`);
    }
  }
}
