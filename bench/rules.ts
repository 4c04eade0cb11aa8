/**
 * Compares the frozen rules of the detector, the third and later ones, on the same runs, as Markdown: `node
 * bench/compiled.mjs rules [RUNS 15] [--seeds NAME]`. Recorded runs are those of studies/. Every simulated set has
 * RUNS runs of each of its families, compressed into the given number of steps; --seeds generates different ones.
 */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import {
  type DetectorConfig,
  frozenRules,
  isClear,
  isRead,
  judgementOf,
  judgeRun,
  labelPoints,
  makeDetector,
  numberSteps,
  type Point,
  rank,
  replay,
  type RunLabel,
  shippedConfig,
  summarise,
  toEffective,
  warmupOf,
  withRates,
} from "#packages/detector";
import {
  developmentFamilies,
  type Family,
  generateRun,
  heldOutFamilies,
  type SyntheticOptions,
  syntheticSize,
} from "#packages/detector/testing/generate.ts";
import { parseEventLog } from "#server/domain/trainers/import/toEventLog.ts";

const { values: options, positionals } = parseArgs({
  options: { seeds: { type: "string", default: "bench" } },
  allowPositionals: true,
});
const numRuns = Number(positionals[0] ?? 15);
const all: readonly Family[] = [...developmentFamilies, ...heldOutFamilies];

type Labelled = { points: Point[]; steps: number; label: RunLabel };
/** Episodes behind each success rate of the recorded runs: 8 groups of 8, 128 held-out tasks. */
const recordedSize = { numEpisodes: 64, groupSize: 8, numHeldOut: 128 };

const Line = z.object({ sweepId: z.string(), cell: z.int(), seed: z.int() });
const Head = z.object({ sweeps: z.array(z.object({ id: z.string(), name: z.string() })) });

console.log(
  "| runs | steps | rules | without a collapse | with a warning | unstable | collapses | warned | lead | unstable | lead |",
);
console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
const laboratory = ["beyond", "sign"].flatMap((name) => readStudy(`laboratory/${name}`));
const others = listStudies("laboratory").filter((name) => !/beyond|sign|search/.test(name));
reportRecorded("Table 3", listStudies("").flatMap(readStudy));
reportRecorded(
  "laboratory, WebShop",
  laboratory.filter(({ sweep }) => sweep.includes("WebShop")),
);
reportRecorded(
  "laboratory, TextWorld",
  laboratory.filter(({ sweep }) => sweep.includes("TextWorld")),
);
reportRecorded("laboratory, Sokoban", others.flatMap(readStudy));
reportRecorded("laboratory, search", readStudy("laboratory/search"));
reportRecorded("transfer and curriculum", listStudies("transfer").flatMap(readStudy));
const rescues = readStudy("rescue/webshop");
reportRecorded(
  "branches of WebShop's GRPO",
  rescues.filter(({ sweep }) => sweep.includes("-c0-")),
);
for (const length of [20, 32, 48, 60, 80]) reportMade("18 families", all, { length });
for (const length of [48, 60]) reportMade("18 families, KL ∝ t", all, { length, klPower: 1 });
reportMade("plain, KL ∝ t", ["H_grpo"], { length: 60, klPower: 1 });
reportMade("plain, KL ∝ t, a fifth of the noise", ["H_grpo"], { length: 60, klPower: 1, noise: 0.2 });
reportMade("18 families, KL ∝ √t", all, { length: 60, klPower: 0.5 });
reportMade("18 families, KL ∝ t²", all, { length: 60, klPower: 2 });
reportMade("18 families, KL ∝ t from step 8 on", all, { length: 60, klPower: 1, klStart: 8 / 60 });
for (const length of [48, 60]) {
  reportMade("KL levels off, then quickens", ["C_quicken"], { length });
  reportMade("KL ∝ t, then quickens", ["C_quicken"], { length, klPower: 1 });
}

function reportRecorded(title: string, runs: readonly { points: Point[] }[]): void {
  const effective = toEffective(recordedSize);
  report(
    title,
    runs.map(({ points }) => ({ points, steps: points.at(-1)?.iteration ?? 0, label: labelPoints(points, effective) })),
    effective,
  );
}

function reportMade(title: string, families: readonly Family[], settings: SyntheticOptions): void {
  const effective = toEffective(syntheticSize);
  const runs = families.flatMap((family) =>
    Array.from({ length: numRuns }, (_, i) => {
      const { points } = generateRun(family, `${options.seeds} ${i}`, settings);
      return { points, steps: points.length, label: labelPoints(points, effective) };
    }),
  );
  report(title, runs, effective);
}

function report(title: string, runs: readonly Labelled[], effective: ReturnType<typeof toEffective>): void {
  const clear = runs.filter(({ label }) => isClear(label));
  const lengths = clear.map(({ steps }) => steps);
  const [shortest, longest] = [Math.min(...lengths), Math.max(...lengths)];
  for (const { version, config } of frozenRules.slice(2)) {
    const [warning, unstable] = judge(clear, config, effective);
    if (!warning || !unstable) continue;
    const cells = [
      title,
      shortest === longest ? longest : `${shortest} to ${longest}`,
      version.slice(0, "rules-3".length),
      warning.numHealthy,
      warning.numAlarmed,
      unstable.numAlarmed,
      warning.numCollapses,
      warning.detected,
      sayLead(warning.lead.median),
      unstable.detected,
      sayLead(unstable.lead.median),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}

/** Judges the alarms "warning or worse" and "unstable or worse" of all versions from the same step on. */
function judge(runs: readonly Labelled[], config: DetectorConfig, effective: ReturnType<typeof toEffective>) {
  const statuses = runs.map(({ points, steps: iterations }) =>
    replay(makeDetector({ ...effective, iterations }, config), points).readings.map(({ status }) => status),
  );
  return (["warning", "unstable"] as const).map((from) => {
    const judged = runs.map(({ points, steps, label }, i) => {
      const alarms = (statuses[i] ?? []).map((status) => rank[status] >= rank[from]);
      return judgeRun(alarms, label, judgementOf(points, warmupOf(shippedConfig, steps).run));
    });
    const healthy = judged.filter(({ hasCollapsed }) => !hasCollapsed);
    const numAlarmed = healthy.filter(({ falseAlarms }) => falseAlarms > 0).length;
    return { ...summarise(judged, { resamples: 1 }), numHealthy: healthy.length, numAlarmed };
  });
}

function sayLead(lead: number): string {
  return Number.isNaN(lead) ? "–" : String(lead).replace("-", "−");
}

/** Names the recorded studies in a folder of studies/. */
function listStudies(folder: string): string[] {
  const names = readdirSync(join("studies", folder)).filter((name) => name.endsWith(".arlarena"));
  return names.map((name) => join(folder, name.replace(".arlarena", ""))).sort();
}

/**
 * Returns the points of each run of a recorded study, with the metrics that the rules read. A branch of a rescue begins
 * with the points of its origin, as in the studio.
 */
function readStudy(name: string): { sweep: string; points: Point[] }[] {
  const [head = "", ...lines] = gunzipSync(readFileSync(join("studies", `${name}.arlarena`)))
    .toString()
    .split("\n");
  const runs: { id: string; sweepId: string; log: string[] }[] = [];
  for (const line of lines) {
    if (line.startsWith('{"type":"run"')) {
      const { sweepId, cell, seed } = Line.parse(JSON.parse(line));
      runs.push({ id: `${sweepId}-c${cell}-s${seed}`, sweepId, log: [] });
    } else if (line.startsWith('{"v":1,')) runs.at(-1)?.log.push(line);
  }
  const read = new Map(runs.map(({ id, log }) => [id, withRates(parseEventLog(log.join("\n"))).map(onlyRead)]));
  const titles = new Map(Head.parse(JSON.parse(head)).sweeps.map(({ id, name: title }) => [id, title]));
  return runs.flatMap(({ id, sweepId }) => {
    const sweep = titles.get(sweepId) ?? sweepId;
    const [, origin = "", after] = /^Rescue of (\S+) after (\d+)$/.exec(sweep) ?? [];
    const before = (read.get(origin) ?? []).filter(({ iteration }) => iteration <= Number(after));
    const points = numberSteps([...before, ...(read.get(id) ?? [])]);
    return points.length > 0 ? [{ sweep, points }] : [];
  });
}

function onlyRead({ values, ...point }: Point): Point {
  return { ...point, values: Object.fromEntries(Object.entries(values).filter(([key]) => isRead(key))) };
}
