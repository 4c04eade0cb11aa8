import { bootstrap, wilsonInterval, type Interval, median } from "#packages/statistics";
import type { Hindsight } from "../label/hindsight.ts";
import { isJudged } from "../label/label.ts";
import type { FrozenRules } from "../versions.ts";
import { summarise, type Evaluation } from "./summarise.ts";

export type BlindRun = {
  runId: string;
  seed: number;
  /** Start of the first attempt by the orchestrator's clock; null for external trainers. */
  startedAt: Date | null;
  /** Description of the run's sweep, which may name the rules that were frozen before it. */
  description: string;
  hindsight: Hindsight;
};

/**
 * Relation of a run to the freeze of the rules. `declared`: it began later, and its sweep names the rules. `later`: its
 * sweep does not name them. `unknown`: it began earlier, or at an unknown time.
 */
export const standings = ["declared", "later", "unknown"] as const;
export type FreezeStanding = (typeof standings)[number];

export function standingOf({ startedAt, description }: BlindRun, rules: Pick<FrozenRules, "version" | "frozenAt">) {
  const isLater = startedAt !== null && startedAt > rules.frozenAt;
  const standing: FreezeStanding = !isLater ? "unknown" : description.includes(rules.version) ? "declared" : "later";
  return standing;
}

/** Subsets of runs by seed: rules are developed on the runs of one half of the seeds and tested on the other. */
export const halves = ["all", "even", "odd"] as const;
export type Half = (typeof halves)[number];

export function isInHalf({ seed }: { seed: number }, half: Half): boolean {
  return half === "all" || (seed % 2 === 0) === (half === "even");
}

export type BlindRow = {
  rule: string;
  evaluation: Evaluation;
  /** 95 % bootstrap interval of the median lead (steps from alarm to collapse); NaN for fewer than two collapses. */
  leadInterval: Interval;
  /** Number k of runs with at least one alarm among the n runs without a collapse. */
  alarmed: { k: number; n: number; interval: Interval };
};

export type BlindGroup = {
  standing: FreezeStanding;
  runIds: readonly string[];
  numCollapses: number;
  numUnclear: number;
  rows: readonly BlindRow[];
};

/** Compares the rules on runs with a label, in one group per relation to the freeze that occurs. */
export function reportBlind(runs: readonly BlindRun[], rules: FrozenRules, half: Half): readonly BlindGroup[] {
  const judged = runs.filter((run) => isInHalf(run, half) && isJudged(run.hindsight.label));
  return standings.flatMap((standing) => {
    const members = judged.filter((run) => standingOf(run, rules) === standing);
    return members.length === 0 ? [] : [summariseGroup(standing, members)];
  });
}

function summariseGroup(standing: FreezeStanding, runs: readonly BlindRun[]): BlindGroup {
  const judgements = runs.flatMap(({ hindsight }) => hindsight.judgements);
  const rows = [...new Set(judgements.map(({ rule }) => rule))].map((rule) =>
    toRow(
      rule,
      judgements.filter((judgement) => judgement.rule === rule),
    ),
  );
  const numCollapses = rows[0]?.evaluation.numCollapses ?? 0;
  const numUnclear = runs.filter(({ hindsight }) => hindsight.label.kind === "ambiguous").length;
  return { standing, runIds: runs.map(({ runId }) => runId), numCollapses, numUnclear, rows };
}

function toRow(rule: string, judgements: Hindsight["judgements"]): BlindRow {
  const leads = judgements.flatMap(({ lead }) => lead ?? []);
  const well = judgements.filter(({ hasCollapsed }) => !hasCollapsed);
  const numAlarmed = well.filter(({ falseAlarms }) => falseAlarms > 0).length;
  return {
    rule,
    evaluation: summarise(judgements, { resamples: 1 }),
    leadInterval:
      leads.length < 2
        ? { low: NaN, high: NaN }
        : bootstrap([leads], ([drawn = []]) => median(drawn), { numResamples: 2000 }).interval,
    alarmed: { k: numAlarmed, n: well.length, interval: wilsonInterval(numAlarmed, well.length) },
  };
}
