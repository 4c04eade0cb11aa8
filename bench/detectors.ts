/**
 * Compares the collapse detector with common alarm rules, as Markdown: `node bench/compiled.mjs detectors [RUNS 40]
 * [--development | --held-out] [--seeds NAME] [--ablations] [--time] [--logs FOLDER …] [--studio [HOME]]`.
 * Each of 18 families has RUNS synthetic runs, labelled in hindsight by their success alone. The rules were set on
 * the development families; the others contain mechanisms not used for tuning. `--seeds NAME` generates different
 * runs. --logs: reads every events.jsonl below the folders instead. --studio: reads all finished runs of a running studio with its labels and alarms, by method and
 * staleness too (read-only). --time: measures the duration of a detector step. --ablations: changes one number of the
 * rules at a time, and leaves one family out when that number is chosen.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { readBlind } from "#server/api/publish/laboratory/blind.ts";
import { readEvaluation } from "#server/api/analysis/stability.ts";
import { readStudyRuns, type StudyRun } from "#server/api/analysis/studyRuns.ts";
import { connect } from "#server/cli/client/connect.ts";
import { readConfig } from "#server/config/config.ts";
import { listSweeps } from "#server/db/plan/sweeps.ts";
import { isImported } from "#server/domain/plan/sweep/isImported.ts";
import { parseEventLog } from "#server/domain/trainers/import/toEventLog.ts";
import {
  shippedConfig,
  versionOf,
  type DetectorConfig,
  makeDetector,
  toEffective,
  type Rule,
  judgeRun,
  judgementOf,
  type Judgement,
  causesOnly,
  cohensKappa,
  allRules,
  rulesOf,
  summarise,
  type Evaluation,
  isClear,
  isCollapse,
  type RunLabel,
  labelPoints,
  replay,
  type Point,
  frozenRules,
} from "#packages/detector";
import {
  developmentFamilies,
  type Family,
  generateRun,
  heldOutFamilies,
  syntheticSize,
} from "#packages/detector/testing/generate.ts";
import { toMarkdown } from "#packages/tables";
import { split } from "#trainer/spec/rng.ts";

const ruleColumns = [
  "rule",
  "precision (95 %)",
  "recall (95 %)",
  "false alarms / 1,000 (95 %)",
  "lead, median (IQR)",
  "lead ≥ 10",
  "delay",
];

type Labelled = { group: string; points: Point[]; label: RunLabel };

const words = process.argv.slice(2);
const numRuns = words.map(Number).find(Number.isFinite) ?? 40;
const effective = toEffective(syntheticSize);
const isChosen = (name: string) => words.includes(name);
const series = isChosen("--seeds") ? words[words.indexOf("--seeds") + 1] : "bench";

console.log(`Rules ${versionOf(shippedConfig)}.`);
const logs = words.indexOf("--logs");
const studio = words.indexOf("--studio");
if (studio >= 0) await reportStudio(words[studio + 1]);
else if (logs >= 0) await reportLogs(words.slice(logs + 1));
else if (isChosen("--time")) reportTime();
else reportSynthetic();

function reportSynthetic(): void {
  if (!isChosen("--held-out")) report("Development families", make(developmentFamilies));
  if (isChosen("--development")) return;
  report("Held-out families", make(heldOutFamilies));
  if (isChosen("--held-out")) return;
  const all = make([...developmentFamilies, ...heldOutFamilies]);
  report("All 18 families", all);
  reportLabels();
  reportSparse();
  if (isChosen("--ablations")) reportAblations(all);
}

/**
 * Prints the CPU time of a detector step, measured over whole runs, five times. The first pass warms up the compiler.
 */
function reportTime(): void {
  const runs = make([...developmentFamilies, ...heldOutFamilies]);
  const numSteps = runs.reduce((sum, { points }) => sum + points.length, 0);
  const detector = makeDetector(effective);
  const times = Array.from({ length: 5 }, () => {
    const start = process.cpuUsage();
    for (const { points } of runs) replay(detector, points);
    return process.cpuUsage(start).user / 1000 / numSteps;
  });
  console.log(`${numSteps} steps of ${runs.length} runs; ms a step: ${times.map((ms) => ms.toFixed(4)).join(", ")}`);
}

/**
 * Generates synthetic runs of some families. The number of a run is its seed; `series` makes the runs of development,
 * held-out families and ablations differ.
 */
function make(families: readonly Family[], options: Parameters<typeof generateRun>[2] = {}): Labelled[] {
  return families.flatMap((family) =>
    Array.from({ length: numRuns }, (_, seed) => {
      const { points } = generateRun(family, `${series} ${seed}`, options);
      return { group: family, points, label: labelPoints(points, effective) };
    }),
  );
}

/**
 * Prints the results of all rules, then those of the detector by family. Runs that are ambiguous between a dip and a
 * collapse are omitted.
 */
function report(title: string, runs: readonly Labelled[]): void {
  const clear = runs.filter(({ label }) => isClear(label));
  const left = runs.length - clear.length;
  console.log(`\n### ${title}: ${clear.length} runs${left > 0 ? `, ${left} ambiguous ones left out` : ""}\n`);
  const rules = allRules(effective);
  const judged = rules.map((rule) => ({ rule, judgements: judge(rule, clear) }));
  table(
    ruleColumns,
    judged.map(({ rule, judgements }) => toRow(rule.title, summarise(judgements))),
  );
  console.log("");
  const [whole = [], , , warnings = []] = judged.map(({ judgements }) => judgements);
  const [, causes = []] = judged.map(({ judgements }) => judgements);
  table(
    ["family", "recall", "causes only", "false alarms / 1,000", "lead", "lead of a warning by causes"],
    [...new Set(clear.map(({ group }) => group))].map((group) => {
      const of = (judgements: readonly Judgement[]) =>
        summarise(
          judgements.filter((_, i) => clear[i]?.group === group),
          { resamples: 1 },
        );
      const [all, cause, warning] = [of(whole), of(causes), of(warnings)];
      const share = ({ detected, numCollapses }: Evaluation) =>
        numCollapses > 0 ? `${detected}/${numCollapses}` : "–";
      return [
        group,
        share(all),
        share(cause),
        all.falseAlarmRate.toFixed(2),
        say(all.lead.median),
        say(warning.lead.median),
      ];
    }),
  );
}

function judge(rule: Rule, runs: readonly Labelled[]): Judgement[] {
  return runs.map(({ points, label }) => judgeRun(rule.alarms(points), label, judgementOf(points)));
}

function toRow(title: string, found: Evaluation): string[] {
  const { precision, precisionInterval, recall, recallInterval, falseAlarmRate, falseAlarmInterval, lead, delay } =
    found;
  const between = ({ low, high }: { low: number; high: number }, digits: number) =>
    Number.isFinite(low) ? ` (${low.toFixed(digits)}–${high.toFixed(digits)})` : "";
  return [
    title,
    `${say(precision, 3)}${between(precisionInterval, 2)}`,
    `${say(recall, 3)}${between(recallInterval, 2)}`,
    `${say(falseAlarmRate, 2)}${between(falseAlarmInterval, 2)}`,
    `${say(lead.median)}${between(lead, 0)}`,
    say(lead.atLeastTen, 2),
    say(delay),
  ];
}

/**
 * Checks that the label finds the planted collapse of synthetic runs, and finds none when success is shuffled over
 * time.
 */
function reportLabels(): void {
  const runs = [...developmentFamilies, ...heldOutFamilies].flatMap((family) =>
    Array.from({ length: 20 }, (_, seed) => generateRun(family, `label ${seed}`)),
  );
  const labels = runs.map(({ points }) => labelPoints(points, effective));
  const shuffled = runs.map(({ points }, i) => labelPoints(shuffle(points, i), effective));
  const planted = runs.map(({ collapseStep }) => collapseStep !== undefined);
  const kappa = (found: readonly RunLabel[]) =>
    cohensKappa(found.map((label, i) => [isCollapse(label), planted[i] ?? false] as const)).toFixed(3);
  const errors = runs
    .flatMap(({ collapseStep }, i) => {
      const found = labels[i]?.collapseStep;
      return collapseStep === undefined || found === undefined ? [] : [found - collapseStep];
    })
    .sort((a, b) => a - b);
  const at = (p: number) => errors[Math.round(p * (errors.length - 1))] ?? NaN;
  console.log(`\n### The label against what was planted: ${runs.length} runs\n`);
  console.log(`κ ${kappa(labels)}; step of the collapse: median error ${at(0.5)}, 5–95 % ${at(0.05)} to ${at(0.95)}.`);
  console.log(`Success shuffled over time, which nothing should survive but broken numbers: κ ${kappa(shuffled)}.`);
}

function shuffle(points: readonly Point[], seed: number): Point[] {
  const rng = split("shuffle", seed);
  const order = points.map((_, i) => ({ i, place: rng.next() })).sort((a, b) => a.place - b.place);
  return points.map((point, i) => {
    const other = points[order[i]?.i ?? i]?.values ?? {};
    return { ...point, values: { ...point.values, "rollout/successRate": other["rollout/successRate"] ?? NaN } };
  });
}

/** Prints the results on runs whose success is known only from an evaluation at every fifth step. */
function reportSparse(): void {
  const runs = make([...developmentFamilies, ...heldOutFamilies], { successEvery: 5 });
  report(
    "All families, success only at every fifth step",
    runs.filter(({ label }) => isClear(label)),
  );
}

type Variant = { title: string; config: DetectorConfig };

function reportAblations(runs: readonly Labelled[]): void {
  const { performance, forecast } = shippedConfig;
  const every = (factor: number): DetectorConfig["minimum"] => ({
    gradientNorm: factor,
    klReference: factor,
    klOld: factor,
    ratioMax: factor,
    ratioMean: factor,
    entropy: factor,
    responseTokens: factor,
    invalidActions: factor,
    returnSpread: factor,
  });
  const variants: Variant[] = [
    { title: "as shipped", config: shippedConfig },
    { title: "no smallest change that matters", config: { ...shippedConfig, minimum: every(1e-9) } },
    { title: "smallest changes × 0.5", config: { ...shippedConfig, minimum: every(0.5) } },
    { title: "smallest changes × 1.5", config: { ...shippedConfig, minimum: every(1.5) } },
    ...[2.5, 3, 4, 5].map((shift) => ({ title: `shift of ${shift} scales`, config: { ...shippedConfig, shift } })),
    ...[10, 40].map((warmup) => ({ title: `warm-up of ${warmup}`, config: { ...shippedConfig, warmup } })),
    { title: "no trend", config: { ...shippedConfig, forecast: { ...forecast, slopeMax: 1e-12 } } },
    { title: "no clipping of residuals", config: { ...shippedConfig, forecast: { ...forecast, huber: 1e9 } } },
    ...[5, 20].map((coOccurrence) => ({
      title: `groups agree within ${coOccurrence}`,
      config: { ...shippedConfig, coOccurrence },
    })),
    {
      title: "without KL and ratios",
      config: { ...shippedConfig, muted: ["klReference", "klOld", "ratioMax", "ratioMean"] },
    },
    {
      title: "unstable at half of the peak lost",
      config: { ...shippedConfig, performance: { ...performance, unstable: [4, 0.5] } },
    },
  ];
  const clear = runs.filter(({ label }) => isClear(label));
  console.log("\n### One number changed at a time, unstable or worse, all families\n");
  const judged = variants.map(({ title, config }) => ({
    title,
    judgements: judge(rulesOf(effective, config)(title, "unstable"), clear),
    causes: judge(rulesOf(effective, causesOnly(config))(title, "unstable"), clear),
  }));
  table(
    ["rules", "recall", "causes only", "false alarms / 1,000", "lead"],
    judged.map(({ title, judgements, causes }) => {
      const [all, cause] = [summarise(judgements, { resamples: 1 }), summarise(causes, { resamples: 1 })];
      return [
        title,
        all.recall.toFixed(3),
        cause.recall.toFixed(3),
        all.falseAlarmRate.toFixed(2),
        say(all.lead.median),
      ];
    }),
  );
  reportLeaveOneOut(clear, judged);
}

type Judged = { title: string; judgements: Judgement[] };

/**
 * Prints for each family the results of the variant that was chosen on all other families. That variant has the
 * fewest false alarms at a recall of at least .99.
 */
function reportLeaveOneOut(runs: readonly Labelled[], judged: readonly Judged[]): void {
  console.log("\n### The best of these chosen without a family, then on that family\n");
  const of = ({ judgements }: Judged, has: (group: string) => boolean) =>
    summarise(
      judgements.filter((_, i) => has(runs[i]?.group ?? "")),
      { resamples: 1 },
    );
  table(
    ["family left out", "chosen", "recall", "false alarms / 1,000"],
    [...new Set(runs.map(({ group }) => group))].flatMap((family) => {
      const scored = judged.map((own) => ({ own, others: of(own, (group) => group !== family) }));
      const [best] = scored
        .filter(({ others }) => others.recall >= 0.99)
        .sort((a, b) => a.others.falseAlarmRate - b.others.falseAlarmRate);
      if (!best) return [];
      const found = of(best.own, (group) => group === family);
      return [[family, best.own.title, say(found.recall, 3), found.falseAlarmRate.toFixed(2)]];
    }),
  );
}

/**
 * Prints the results on real runs, from their event logs. Points are renumbered, because a rule counts logged points.
 */
async function reportLogs(folders: readonly string[]): Promise<void> {
  const files = (await Promise.all(folders.map(findLogs))).flat();
  const runs: Labelled[] = [];
  for (const file of files) {
    const points = parseEventLog(await readFile(file, "utf8")).map((point, iteration) => ({ ...point, iteration }));
    if (points.length >= 5) runs.push({ group: "runs", points, label: labelPoints(points, effective) });
  }
  const kinds = new Map<string, number>();
  for (const { label } of runs) kinds.set(label.kind, (kinds.get(label.kind) ?? 0) + 1);
  const lengths = runs.map(({ points }) => points.length).sort((a, b) => a - b);
  console.log(`\n${runs.length} runs of ${lengths[0] ?? 0} to ${lengths.at(-1) ?? 0} steps; labels:`);
  for (const [kind, count] of kinds) console.log(`- ${kind}: ${count}`);
  report("Real runs", runs);
}

/** Prints the statistics that the studio's pages show, as Markdown. */
async function reportStudio(home: string | undefined): Promise<void> {
  const { database } = await connect(readConfig(), home);
  try {
    const sweepIds = (await listSweeps(database)).map(({ id }) => id);
    const { numRuns, numOpen, numAmbiguous, labels, rules } = await readEvaluation(database, sweepIds);
    const counts = Object.entries(labels).map(([kind, count]) => `${kind} ${count}`);
    console.log(`\n### Real runs: ${numRuns} with a clear label\n`);
    console.log(`${counts.join(", ")}; ${numAmbiguous} ambiguous ones left out, ${numOpen} not over.\n`);
    if (rules.length === 0) return;
    table(
      ruleColumns,
      rules.map(({ rule, evaluation }) => toRow(rule, evaluation)),
    );
    for (const { version } of frozenRules) {
      const { table: blind } = await readBlind(database, { sweepIds, rules: version, half: "all" });
      console.log(`\n### ${blind.caption}\n\n${toMarkdown(blind)}`);
    }
    console.log("\n### The detector by method and staleness\n");
    reportGroups((await readStudyRuns(database, { sweepIds })).flatMap(toJudged));
  } finally {
    await database.close();
  }
}

type JudgedRun = { group: string; seed: number; judgement: Judgement };

/**
 * Converts a run of the studio for the report. Staleness is the reuse of batch rows and the rows per optimizer step:
 * both make steps off-policy.
 */
function toJudged({ run, cell, spec, detection }: StudyRun): JudgedRun[] {
  const hindsight = detection?.hindsight;
  const judgement = hindsight?.judgements.find(({ rule }) => rule === "unstable or worse");
  if (!judgement || !hindsight || !isClear(hindsight.label)) return [];
  const staleness = isImported(spec) ? "–" : `${spec.update.epochs} × in steps of ${spec.update.minibatchRows} rows`;
  return [{ group: `${cell.environment} | ${cell.method} | ${staleness}`, seed: run.seed, judgement }];
}

function reportGroups(judged: readonly JudgedRun[]): void {
  table(
    [
      "environment",
      "method",
      "staleness",
      "runs",
      "seeds",
      "collapsed",
      "found",
      "lead",
      "false alarms / 1,000 (95 %)",
    ],
    [...new Set(judged.map(({ group }) => group))].sort().map((group) => {
      const own = judged.filter((one) => one.group === group);
      const found = summarise(
        own.map(({ judgement }) => judgement),
        { resamples: 1 },
      );
      const {
        falseAlarmRate,
        falseAlarmInterval: { low, high },
      } = found;
      return [
        group,
        String(found.numRuns),
        String(new Set(own.map(({ seed }) => seed)).size),
        String(found.numCollapses),
        found.numCollapses > 0 ? `${found.detected}/${found.numCollapses}` : "–",
        say(found.lead.median),
        Number.isFinite(falseAlarmRate) ? `${say(falseAlarmRate, 2)} (${say(low, 2)}–${say(high, 2)})` : "–",
      ];
    }),
  );
}

async function findLogs(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter(({ name }) => name === "events.jsonl").map(({ parentPath, name }) => join(parentPath, name));
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): void {
  console.log(`| ${header.join(" | ")} |\n| ${header.map(() => "---").join(" | ")} |`);
  for (const row of rows) console.log(`| ${row.join(" | ")} |`);
}

function say(x: number, digits = 0): string {
  return Number.isFinite(x) ? x.toFixed(digits) : "–";
}
