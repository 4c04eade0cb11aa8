/**
 * What guards would add to the rules on real runs, as Markdown: `npx tsx bench/guards.ts FOLDER …`, each the runs folder of
 * a state folder. Each frozen version as the product feeds it, then warnings of the
 * newest with one more guard: a low effective share of rows, or mutual information of prompts and responses that fell.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { makeDetector, toEffective } from "#server/domain/stability/detector.ts";
import { causesOnly } from "#server/domain/stability/evaluation/causesOnly.ts";
import { judgementOf, judgeRun, type Judgement } from "#server/domain/stability/evaluation/judge.ts";
import { summarise } from "#server/domain/stability/evaluation/summarise.ts";
import { numberSteps } from "#server/domain/stability/label/hindsight.ts";
import { labelPoints } from "#server/domain/stability/label/labelPoints.ts";
import { parseEventLog } from "#server/domain/stability/logs/eventLog.ts";
import { withRates } from "#server/domain/stability/online.ts";
import { replay } from "#server/domain/stability/replay.ts";
import { isRead, type Point } from "#server/domain/stability/signals/point.ts";
import { frozenRules } from "#server/domain/stability/versions.ts";
import { rank, type Status } from "#server/domain/stability/verdict/status.ts";
import { median } from "#server/domain/statistics/summary.ts";

// Of the laboratory's presets.
const effective = toEffective({ numEpisodes: 64, groupSize: 8, numHeldOut: 128 });
const runs = process.argv
  .slice(2)
  .flatMap(readFolder)
  .map((text) => numberSteps(withRates(parseEventLog(text))))
  .map((points) => ({ points, label: labelPoints(points, effective) }))
  .filter(({ label, points }) => label.kind !== "ambiguous" && points.length > 5);

console.log("| warnings by | recall | lead | false alarms / 1,000 | runs with one, of those without a collapse |");
console.log("| --- | --- | --- | --- | --- |");
for (const { version, config } of frozenRules) {
  for (const from of ["unstable", "warning"] as const)
    print(`${version}, ${from}`, (points) => statuses(points, config, from));
  print(`${version}, warning, causes only`, (points) => statuses(points, causesOnly(config), "warning"));
}
const newest = frozenRules.at(-1);
for (const share of [0.1, 0.3, 0.5]) {
  for (const width of [1, 5, 9]) {
    also(
      `share of rows < ${share}, median of ${width}`,
      "mismatch/essRow",
      (seen) => median(seen.slice(-width)) < share,
    );
  }
}
also("share of rows < half of its first ten, median of 5", "mismatch/essRow", (seen) =>
  isBelowStart(seen, { first: 10, share: 0.5, width: 5 }),
);
for (const nats of [0.1, 0.5])
  also(`mutual information < ${nats} nats`, "template/mutualInformation", (seen) => (seen.at(-1) ?? NaN) < nats);
for (const width of [1, 3]) {
  also(`mutual information < half of its first, median of ${width}`, "template/mutualInformation", (seen) =>
    isBelowStart(seen, { first: 1, share: 0.5, width }),
  );
}

type Start = { first: number; share: number; width: number };

/** Of a start of half a nat, or half of all rows, at least: there was something to lose. */
function isBelowStart(seen: readonly number[], { first, share, width }: Start): boolean {
  const start = median(seen.slice(0, first));
  return seen.length >= first + width && start >= 0.5 && median(seen.slice(-width)) < share * start;
}

/** Alone, and beside the newest rules' warnings; a value stays until the next. */
function also(title: string, metric: string, isBroken: (seen: readonly number[]) => boolean): void {
  const guard = (points: readonly Point[]) => {
    const seen: number[] = [];
    return points.map(({ values }) => {
      const value = values[metric];
      if (value !== undefined) seen.push(value);
      return seen.length > 0 && isBroken(seen);
    });
  };
  if (newest === undefined || !runs.some(({ points }) => guard(points).includes(true))) return;
  print(`${title}, alone`, guard);
  print(`${newest.version}, warning, or ${title}`, (points) => {
    const [alarms, others] = [statuses(points, newest.config, "warning"), guard(points)];
    return alarms.map((isOn, i) => isOn || others[i] === true);
  });
}

function statuses(points: readonly Point[], config: Parameters<typeof makeDetector>[1], from: Status): boolean[] {
  const fed = points.map(({ iteration, values }) => ({
    iteration,
    values: Object.fromEntries(Object.entries(values).filter(([key]) => isRead(key))),
  }));
  return replay(makeDetector(effective, config), fed).readings.map(({ status }) => rank[status] >= rank[from]);
}

function print(title: string, alarms: (points: readonly Point[]) => boolean[]): void {
  const judged = runs.map(({ points, label }): Judgement => judgeRun(alarms(points), label, judgementOf(points)));
  const { detected, numCollapses, lead, falseAlarmRate } = summarise(judged, { resamples: 1 });
  const well = judged.filter(({ hasCollapsed }) => !hasCollapsed);
  const numFalse = well.filter(({ falseAlarms }) => falseAlarms > 0).length;
  console.log(
    `| ${title} | ${detected}/${numCollapses} | ${lead.median} | ${falseAlarmRate.toFixed(2)} | ${numFalse}/${well.length} |`,
  );
}

/** The logs of attempts that came to the end of their runs. */
function readFolder(path: string): string[] {
  const files = readdirSync(path, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith("events.jsonl"),
  );
  return files.map((file) => readFileSync(join(path, file), "utf8")).filter((text) => text.includes('"type":"done"'));
}
