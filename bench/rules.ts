/**
 * Compares the frozen rules of the detector, the third and later ones, on the same runs, as Markdown: `node
 * bench/compiled.mjs rules [RUNS 15] [--seeds NAME]`. Recorded runs are those of studies/. Every simulated set has
 * RUNS runs of each of its families, compressed into the given number of steps; --seeds generates different ones.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
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
import { readPlain } from "#server/engine/studies/testing/readPlain.ts";

const { values: options, positionals } = parseArgs({
  options: { seeds: { type: "string", default: "bench" } },
  allowPositionals: true,
});
const numRuns = Number(positionals[0] ?? 15);
const all: readonly Family[] = [...developmentFamilies, ...heldOutFamilies];

type Labelled = { points: Point[]; steps: number; label: RunLabel };
/** Episodes behind each success rate of the recorded runs: 8 groups of 8, 128 held-out tasks. */
const recordedSize = { numEpisodes: 64, groupSize: 8, numHeldOut: 128 };

const Line = z.object({ sweepId: z.string() });
const Head = z.object({ sweeps: z.array(z.object({ id: z.string(), name: z.string() })) });

const versions = frozenRules.slice(2);
const names = versions.map(({ config }) => config.version).join(", ");
printRow([
  "runs",
  "steps",
  "without a collapse",
  `warned (rules ${names})`,
  "unstable",
  "collapses",
  "warned",
  "unstable",
  "lead of the warning",
  "lead of unstable",
]);
printRow(Array.from({ length: 10 }, () => "---"));
const laboratory = await readStudies(["beyond", "sign"].map((name) => `laboratory/${name}`));
const others = listStudies("laboratory").filter((name) => !/beyond|sign|search/.test(name));
reportRecorded("Table 3", await readStudies(listStudies("")));
reportRecorded(
  "laboratory, WebShop",
  laboratory.filter(({ sweep }) => sweep.includes("WebShop")),
);
reportRecorded(
  "laboratory, TextWorld",
  laboratory.filter(({ sweep }) => sweep.includes("TextWorld")),
);
reportRecorded("laboratory, Sokoban", await readStudies(others));
reportRecorded("laboratory, search", await readStudy("laboratory/search"));
reportRecorded("transfer and curriculum", await readStudies(listStudies("transfer")));
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
  const judged = versions.map(({ config }) => judge(clear, config, effective));
  const across = (read: (one: (typeof judged)[number]) => string | number): string => judged.map(read).join(", ");
  printRow([
    title,
    shortest === longest ? `${longest}` : `${shortest} to ${longest}`,
    `${judged[0]?.warning.numHealthy}`,
    across(({ warning }) => warning.numAlarmed),
    across(({ unstable }) => unstable.numAlarmed),
    `${judged[0]?.warning.numCollapses}`,
    across(({ warning }) => warning.detected),
    across(({ unstable }) => unstable.detected),
    across(({ warning }) => sayLead(warning.lead.median)),
    across(({ unstable }) => sayLead(unstable.lead.median)),
  ]);
}

/** Judges the alarms "warning or worse" and "unstable or worse" of all versions from the same step on. */
function judge(runs: readonly Labelled[], config: DetectorConfig, effective: ReturnType<typeof toEffective>) {
  const statuses = runs.map(({ points, steps: iterations }) =>
    replay(makeDetector({ ...effective, iterations }, config), points).readings.map(({ status }) => status),
  );
  const count = (from: "warning" | "unstable") => {
    const judged = runs.map(({ points, steps, label }, i) => {
      const alarms = (statuses[i] ?? []).map((status) => rank[status] >= rank[from]);
      return judgeRun(alarms, label, judgementOf(points, warmupOf(shippedConfig, steps).run));
    });
    const healthy = judged.filter(({ hasCollapsed }) => !hasCollapsed);
    const numAlarmed = healthy.filter(({ falseAlarms }) => falseAlarms > 0).length;
    return { ...summarise(judged, { resamples: 1 }), numHealthy: healthy.length, numAlarmed };
  };
  return { warning: count("warning"), unstable: count("unstable") };
}

function printRow(cells: readonly string[]): void {
  console.log(`| ${cells.join(" | ")} |`);
}

function sayLead(lead: number): string {
  return Number.isNaN(lead) ? "–" : String(lead).replace("-", "−");
}

/** Names the recorded studies in a folder of studies/. */
function listStudies(folder: string): string[] {
  const names = readdirSync(join("studies", folder)).filter((name) => name.endsWith(".arlarena"));
  return names.map((name) => join(folder, name.replace(".arlarena", ""))).sort();
}

type RecordedRun = { sweep: string; points: Point[] };

async function readStudies(names: readonly string[]): Promise<RecordedRun[]> {
  return (await Promise.all(names.map(readStudy))).flat();
}

/** Returns the points of each run of a recorded study, with its sweep's name and the metrics that the rules read. */
async function readStudy(name: string): Promise<RecordedRun[]> {
  const [head = "", ...lines] = (await readPlain(join("studies", `${name}.arlarena`))).split("\n");
  const titles = new Map(Head.parse(JSON.parse(head)).sweeps.map(({ id, name: title }) => [id, title]));
  const runs: { sweep: string; log: string[] }[] = [];
  for (const line of lines) {
    if (line.startsWith('{"type":"run"')) {
      runs.push({ sweep: titles.get(Line.parse(JSON.parse(line)).sweepId) ?? "", log: [] });
    } else if (line.startsWith('{"v":1,')) runs.at(-1)?.log.push(line);
  }
  return runs.flatMap(({ sweep, log }) => {
    const points = numberSteps(withRates(parseEventLog(log.join("\n")))).map(onlyRead);
    return points.length > 0 ? [{ sweep, points }] : [];
  });
}

function onlyRead({ values, ...point }: Point): Point {
  return { ...point, values: Object.fromEntries(Object.entries(values).filter(([key]) => isRead(key))) };
}
