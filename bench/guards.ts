/**
 * Chooses detector rules on one half of the seeds of recorded studies, and prints the results as Markdown: `node
 * bench/compiled.mjs guards FILE … [--seeds even|odd|all] [--sweep ID …] [--grid]`. Compares each frozen version at
 * "unstable or worse" and "warning or worse". --grid: searches the thresholds of the third version's rules by the
 * criterion in docs/history/laboratory.md, first for "unstable", then for "warning".
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import {
  type DetectorConfig,
  makeDetector,
  toEffective,
  halves,
  isInHalf,
  judgementOf,
  judgeRun,
  summarise,
  numberSteps,
  isClear,
  labelPoints,
  withRates,
  replay,
  isRead,
  rank,
  findRules,
  frozenRules,
} from "#packages/detector";
import { parseEventLog } from "#server/domain/trainers/import/toEventLog.ts";

const { values: options, positionals: files } = parseArgs({
  options: {
    seeds: { type: "string", default: "all" },
    grid: { type: "boolean", default: false },
    sweep: { type: "string", multiple: true },
  },
  allowPositionals: true,
});
const half = z.enum(halves).parse(options.seeds);
// Numbers of episodes behind each success rate, for the labels. They are those of the laboratory presets (which have
// 8 groups, however) and of Table 3's studies.
const effective = toEffective({ numEpisodes: 64, groupSize: 8, numHeldOut: 128 });
const runs = files
  .flatMap(readStudy)
  .map((points) => ({ points, label: labelPoints(points, effective) }))
  .filter(({ label }) => isClear(label))
  .map(({ points, label }) => ({ label, points: points.map(onlyRead) }));

const first = findRules("rules-1-76477792").config;
/** Returns the detector's guards with higher limits for stale samplers. */
const guardsFrom = (samplerKl: number): DetectorConfig["guards"] => ({
  ...first.guards,
  areFed: true,
  stale: { samplerKl, samplerChiSquared: 1000, effectiveSample: 0.003, ratioStd: 30 },
});

console.log(`\n${runs.length} runs, ${half} seeds\n`);
console.log(
  "| rules | unstable: recall | lead | other runs with an alarm | per 1,000 | warning: recall | lead | other runs | per 1,000 |",
);
console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
for (const { version, config } of frozenRules) print(version, config);
if (options.grid) {
  for (const z of [4, 5, 6]) {
    for (const share of [0.4, 0.45, 0.5, 0.55]) {
      for (const coOccurrence of [5, 10, 15])
        print(`unstable at ${z} errors and ${share}, agreeing within ${coOccurrence}`, {
          ...first,
          coOccurrence,
          performance: { ...first.performance, unstable: [z, share] },
        });
    }
  }
  const guards = { unfed: first.guards, "kl 0.3": guardsFrom(0.3), "kl 0.5": guardsFrom(0.5), "kl 1": guardsFrom(1) };
  for (const [name, limits] of Object.entries(guards)) {
    for (const z of [3, 4, 5, 6, 7, 8]) {
      for (const share of [0.15, 0.3, 0.4, 0.45])
        print(`unstable at 0.5, warning at ${z} errors and ${share}, guards ${name}`, {
          ...first,
          version: 3,
          guards: limits,
          performance: { ...first.performance, unstable: [4, 0.5], warning: [z, share] },
        });
    }
  }
}

function print(title: string, config: DetectorConfig): void {
  const statuses = runs.map(({ points }) => {
    const sized = { ...effective, iterations: points.length - 1 };
    return replay(makeDetector(sized, config), points).readings;
  });
  const cells = (["unstable", "warning"] as const).flatMap((from) => {
    const judged = runs.map(({ points, label }, i) => {
      const alarms = statuses[i]?.map(({ status }) => rank[status] >= rank[from]) ?? [];
      return judgeRun(alarms, label, judgementOf(points));
    });
    const { detected, numCollapses, lead, falseAlarmRate } = summarise(judged, { resamples: 1 });
    const well = judged.filter(({ hasCollapsed }) => !hasCollapsed);
    const numAlarmed = well.filter(({ falseAlarms }) => falseAlarms > 0).length;
    return [
      `${detected}/${numCollapses}`,
      lead.median.toFixed(1),
      `${numAlarmed}/${well.length} (${((100 * numAlarmed) / well.length).toFixed(0)} %)`,
      falseAlarmRate.toFixed(2),
    ];
  });
  console.log(`| ${[title, ...cells].join(" | ")} |`);
}

function onlyRead({ iteration, values }: { iteration: number; values: Readonly<Record<string, number>> }) {
  return { iteration, values: Object.fromEntries(Object.entries(values).filter(([key]) => isRead(key))) };
}

/** Returns the points of each run of a recorded study, for the requested sweeps and seeds. */
function readStudy(file: string) {
  const runs: { seed: number; sweep: string; log: string[] }[] = [];
  for (const line of gunzipSync(readFileSync(file)).toString().split("\n")) {
    if (line.startsWith('{"type":"run"')) {
      const { seed, sweepId } = z.object({ seed: z.int(), sweepId: z.string() }).parse(JSON.parse(line));
      runs.push({ seed, sweep: sweepId, log: [] });
    } else if (line.startsWith('{"v":1,')) runs.at(-1)?.log.push(line);
  }
  return runs
    .filter((run) => isInHalf(run, half) && (options.sweep?.includes(run.sweep) ?? true))
    .map(({ log }) => numberSteps(withRates(parseEventLog(log.join("\n")))));
}
