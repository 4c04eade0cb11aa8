import { formatCount } from "#packages/base";
import { wilsonInterval, writeInterval } from "#packages/statistics";
import {
  type BlindGroup,
  type BlindRow,
  type BlindRun,
  type FreezeStanding,
  type Half,
  isInHalf,
  isJudged,
  standingOf,
  summarise,
  unclearSentence,
  writeCollapses,
  causesOnlySentence,
  judgement,
  type FrozenRules,
} from "#packages/detector";
import {
  type BareTable,
  type Column,
  intervalCell,
  numberColumn,
  type Row,
  shareColumn,
  textCell,
  textColumn,
  toCsvText,
} from "#packages/tables";

const columns: Column[] = [
  textColumn("rule", "Rule"),
  { ...shareColumn("recall", "Recall"), group: "collapsed runs" },
  { ...numberColumn("lead", "Lead, median iterations", 1), group: "collapsed runs" },
  { ...shareColumn("alarmed", "With a false alarm"), group: "other runs" },
  { ...numberColumn("falseAlarms", "False alarms per 1,000 healthy iterations", 2), group: "all runs" },
];

const standingTexts: Record<FreezeStanding, (version: string) => string> = {
  declared: (version) => `Made after ${version} was frozen, and planned under it`,
  later: (version) => `Made after ${version} was frozen; the plan does not name it`,
  unknown: (version) => `Made before ${version} was frozen, or at an unknown time`,
};

type Blind = { rules: FrozenRules; half: Half; groups: readonly BlindGroup[] };

/** Compares frozen and published rules on runs made after the freeze and on other runs. */
export function toBlindTable({ rules, half, groups }: Blind): BareTable {
  const seeds = half === "all" ? "" : `, ${half} seeds`;
  return {
    caption: `${rules.version} of the detector compared with published alarm rules${seeds}; 95 % intervals`,
    columns,
    rows: groups.flatMap((group) => toRows(group, rules.version)),
    notes: [
      `The rules (${rules.version}) were frozen on ${rules.frozenAt.toISOString().slice(0, 16).replace("T", " ")} UTC. No threshold was chosen on runs that began later. ${causesOnlySentence}`,
      `Recall is the share of collapsed runs with a true alarm. The window of true alarms opens ${judgement.before} iterations before success begins to fall, and closes ${judgement.after} iterations after half of the success is lost. ` +
        "Alarms before the window are false; alarms after it are ignored until the run has recovered. " +
        "The lead is the number of iterations from a true alarm until half of the success is lost. Intervals are Wilson intervals for shares, exact Poisson intervals for alarms per iteration, and bootstrap intervals over runs for leads. " +
        unclearSentence,
    ],
    isUnmarked: true,
    isWide: true,
  };
}

/** Says how many collapses the alarms found, how early, and how many other runs had a false alarm. */
export function summariseBlind(runs: readonly BlindRun[], half: Half): string {
  const judged = runs.filter((run) => isInHalf(run, half) && isJudged(run.hindsight.label));
  // The first rule is the detector's own.
  const own = judged.flatMap(({ hindsight }) => hindsight.judgements[0] ?? []);
  if (own.length === 0) return "";
  const { numCollapses, detected, lead } = summarise(own, { resamples: 1 });
  const others = own.filter(({ hasCollapsed }) => !hasCollapsed);
  const numFalse = others.filter(({ falseAlarms }) => falseAlarms > 0).length;
  const write = (k: number, n: number, noun: string) =>
    `${k === 0 ? "none" : k} of ${formatCount(n, noun)} ${writeInterval(wilsonInterval(k, n), { shift: 2, decimals: 0 })} %`;
  const time = Math.abs(lead.median);
  const word =
    lead.median === 0 ? "at the collapse" : `${formatCount(time, "iteration")} ${lead.median > 0 ? "early" : "late"}`;
  const found = `Our alarms found ${write(detected, numCollapses, "collapse").replace("none", "0")}${detected > 0 ? `, ${word} in the median` : ""}`;
  const wrong = others.length === 0 ? "" : `${write(numFalse, others.length, "other run")} had a false alarm`;
  const parts = [numCollapses === 0 ? "No run collapsed" : found, wrong].filter(Boolean);
  return `${parts.join("; ")}.`;
}

/** Describes a group: "Made after rules-1 was frozen, and planned under it: 3 of 12 runs collapsed, 2 unclear". */
export function describeGroup({ standing, runIds, numCollapses, numUnclear }: BlindGroup, version: string): string {
  const count = { numJudged: runIds.length, numCollapsed: numCollapses, numUnclear };
  return `${standingTexts[standing](version)}: ${writeCollapses(count, "run")}`;
}

function toRows(group: BlindGroup, version: string): Row[] {
  const { runIds, rows } = group;
  const heading = describeGroup(group, version);
  // The first rule is the detector's own.
  return rows.map((row, i) => ({
    heading,
    runIds: [...runIds],
    cells: toCells(row),
    ...(i === 0 && { isOurs: true }),
  }));
}

function toCells({ rule, evaluation, leadInterval, alarmed }: BlindRow): Row["cells"] {
  const { recall, recallInterval, numCollapses, detected, lead, falseAlarmRate, falseAlarmInterval } = evaluation;
  return [
    textCell(rule),
    intervalCell(recall, numCollapses, recallInterval),
    intervalCell(lead.median, detected, leadInterval),
    intervalCell(alarmed.k / alarmed.n, alarmed.n, alarmed.interval),
    intervalCell(falseAlarmRate, evaluation.numRuns, falseAlarmInterval),
  ];
}

export function toBlindCsv(runs: readonly BlindRun[], rules: FrozenRules): string {
  const header = "rules,run,seed,freeze,label,rule,detected,lead,false_alarms,healthy_steps".split(",");
  const lines = runs.flatMap((run) =>
    run.hindsight.judgements.map(({ rule, hasCollapsed, isDetected, lead = null, falseAlarms, healthySteps }) => [
      rules.version,
      run.runId,
      run.seed,
      standingOf(run, rules),
      run.hindsight.label.kind,
      rule,
      hasCollapsed ? String(isDetected) : null,
      lead,
      falseAlarms,
      healthySteps,
    ]),
  );
  return toCsvText([header, ...lines]);
}
