import {
  type BlindGroup,
  type BlindRow,
  type BlindRun,
  type FreezeStanding,
  type Half,
  standingOf,
  unclearSentence,
  writeCollapses,
  causesOnlySentence,
  judgement,
  type FrozenRules,
} from "#packages/detector";
import {
  type Column,
  intervalCell,
  numberColumn,
  type Provenance,
  type Row,
  shareColumn,
  type Table,
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
export function toBlindTable({ rules, half, groups }: Blind, provenance: Provenance): Table {
  const seeds = half === "all" ? "" : `, ${half} seeds`;
  return {
    caption: `Detector rules ${rules.version} compared with published alarm rules${seeds}; 95 % intervals`,
    label: "blind",
    columns,
    rows: groups.flatMap((group) => toRows(group, rules.version)),
    notes: [
      `The rules were frozen on ${rules.frozenAt.toISOString().slice(0, 16).replace("T", " ")} UTC. No threshold was chosen on runs that began later. ${causesOnlySentence}`,
      `Recall is the share of collapsed runs with a true alarm. The window of true alarms opens ${judgement.before} iterations before success begins to fall, and closes ${judgement.after} iterations after half of the success is lost. ` +
        "Alarms before the window are false; alarms after it are ignored until the run has recovered. " +
        "The lead is the number of iterations from a true alarm until half of the success is lost. Intervals are Wilson intervals for shares, exact Poisson intervals for alarms per iteration, and bootstrap intervals over runs for leads. " +
        unclearSentence,
    ],
    isUnmarked: true,
    isWide: true,
    provenance,
  };
}

/** Describes a group: "Made after rules-1 was frozen, and planned under it: 3 of 12 runs collapsed, 2 unclear". */
export function describeGroup({ standing, runIds, numCollapses, numUnclear }: BlindGroup, version: string): string {
  const count = { numJudged: runIds.length, numCollapsed: numCollapses, numUnclear };
  return `${standingTexts[standing](version)}: ${writeCollapses(count, "run")}`;
}

function toRows(group: BlindGroup, version: string): Row[] {
  const { runIds, rows } = group;
  const heading = describeGroup(group, version);
  return rows.map((row) => ({ heading, runIds: [...runIds], cells: toCells(row) }));
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
