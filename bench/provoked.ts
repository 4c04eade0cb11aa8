/**
 * Collapses by method of a plan, and the detector's alarms before them: `node bench/compiled.mjs provoked [PLAN
 * public/presets/quick-look.yaml] [--seeds 10] [--keep FOLDER]`. Trains every run of the plan sequentially, with seeds
 * 0 … instead of the plan's own, and counts CPU time. Logs stay in FOLDER and are reused.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { makeDetector, toEffective, isCollapse, labelPoints, replay, rank } from "#packages/detector";
import { parseEventLog } from "#server/domain/trainers/import/parseEventLog.ts";
import { samplingOf } from "#server/domain/analysis/stability/samplingOf.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { bundleTrainer } from "#server/start/bundleTrainer.ts";
import { RunSpec, specHash } from "#trainer/spec/run.ts";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { seeds: { type: "string", default: "10" }, keep: { type: "string" } },
});
const [planPath = "public/presets/quick-look.yaml"] = positionals;
const home = options.keep ?? mkdtempSync(join(tmpdir(), "arlarena-provoked-"));
const trainer = await bundleTrainer(home);
if (trainer === undefined) throw new Error("the trainer's source is not here");

type Outcome = { method: string; seed: number; cpuS: number; before: number; last: number } & Fall;
type Fall = { collapse: number | undefined; alarm: number | undefined; isAmbiguous: boolean };

/** Trains a run unless its log exists; returns seconds of CPU time of all threads. */
function train(spec: RunSpec, folder: string): void {
  if (existsSync(join(folder, "cpu"))) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "spec.json"), JSON.stringify(spec));
  const before = childSeconds();
  const environment = {
    ...process.env,
    OMP_NUM_THREADS: "1",
    ARLARENA_GRAPH_CACHE: join(home, "graphs"),
    ARLARENA_TRAINER_HASH: basename(dirname(trainer ?? "")),
  };
  const { status } = spawnSync(process.execPath, [trainer ?? "", join(folder, "spec.json"), folder], {
    env: environment,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const { exit } = { exit: status };
  if (exit !== 0) console.error(`${folder}: exit ${exit}`);
  writeFileSync(join(folder, "cpu"), String(childSeconds() - before));
}

/** User and system time of all children that ended; a tick is 1/100 s on Linux. */
function childSeconds(): number {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

function judge(spec: RunSpec, folder: string): Omit<Outcome, "method" | "seed" | "cpuS"> {
  const points = parseEventLog(readFileSync(join(folder, "events.jsonl"), "utf8"));
  const effective = toEffective(samplingOf(spec));
  const label = labelPoints(points, effective);
  const { readings } = replay(makeDetector(effective), points);
  const success = points.flatMap(({ values }) => values["evaluation/successRate"] ?? []);
  return {
    before: success[0] ?? NaN,
    last: success.at(-1) ?? NaN,
    collapse: isCollapse(label) ? label.collapseStep : undefined,
    alarm: readings.find(({ status }) => rank[status] >= rank.unstable)?.iteration,
    isAmbiguous: label.kind === "ambiguous",
  };
}

const { cells } = expandPlan(parsePlan(readFileSync(planPath, "utf8")));
const outcomes: Outcome[] = [];
for (let seed = 0; seed < Number(options.seeds); seed++) {
  for (const cell of cells) {
    const spec = RunSpec.parse({ ...cell.spec, v: 1, seed });
    const folder = join(home, "runs", specHash(spec));
    train(spec, folder);
    const cpuS = Number(readFileSync(join(folder, "cpu"), "utf8"));
    const outcome = { method: cell.method, seed, cpuS, ...judge(spec, folder) };
    outcomes.push(outcome);
    console.error(JSON.stringify(outcome));
  }
}

const columns = [
  "method",
  "before",
  "last",
  "collapsed",
  "unclear",
  "alarm before",
  "alarm at",
  "false alarm",
  "CPU s",
];
console.log(`| ${columns.join(" | ")} |\n| ${columns.map(() => "---").join(" | ")} |`);
for (const method of new Set(outcomes.map((one) => one.method))) {
  const own = outcomes.filter((one) => one.method === method);
  const fallen = own.flatMap((one) => (one.collapse === undefined ? [] : [{ ...one, collapse: one.collapse }]));
  const seen = (isIn: (alarm: number, collapse: number) => boolean) =>
    fallen.filter(({ alarm, collapse }) => alarm !== undefined && isIn(alarm, collapse)).length;
  const cells = [
    method,
    toPercent(own.map(({ before }) => before)),
    toPercent(own.map(({ last }) => last)),
    `${fallen.length} of ${own.length}`,
    own.filter(({ isAmbiguous }) => isAmbiguous).length,
    seen((alarm, collapse) => alarm < collapse),
    seen((alarm, collapse) => alarm === collapse),
    own.filter(({ collapse, alarm }) => collapse === undefined && alarm !== undefined).length,
    mean(own.map(({ cpuS }) => cpuS)).toFixed(1),
  ];
  console.log(`| ${cells.join(" | ")} |`);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function toPercent(values: readonly number[]): string {
  return (100 * mean(values)).toFixed(1);
}
