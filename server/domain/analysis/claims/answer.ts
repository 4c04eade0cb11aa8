import { spendingOf } from "#trainer/spec/budget.ts";
import { elsewhereOf } from "#trainer/spec/elsewhere.ts";
import { describeMetric } from "#trainer/spec/metric.ts";
import { mean } from "#packages/statistics";
import { type Needed, neededOf } from "#server/domain/runs/neededSeeds.ts";
import type { Answering } from "../answer.ts";
import type { Facts } from "../facts.ts";
import { endsOf } from "../transfer/transfer.ts";
import { type Part, standardised } from "./sides.ts";
import { nameContradicted, summariseClaims, toClaimsTable } from "./claimsTable.ts";
import { findStaleable } from "./extremes.ts";
import { evaluateFindings } from "./findings.ts";
import { curvesOfStudied, listStudied } from "./listStudied.ts";
import { isStatement, standardiseRuns, type StudiedRun, toStudiedCsv } from "./studiedRun.ts";

const steps = "update/numSteps";

export const claims = {
  curves(facts, { metric }) {
    const { runs } = listStudied(facts, metric);
    const namesOf = ({ settings }: StudiedRun) => (isStatement(settings) ? [] : elsewhereOf(settings));
    const elsewhere = [...new Set(runs.flatMap(namesOf).map(({ name }) => keyElsewhere(name)))];
    return [
      ...curvesOfStudied(facts, { metric }),
      { runIds: runs.map(({ runId }) => runId), keys: elsewhere },
      { runIds: findStaleable(runs).map(({ runId }) => runId), keys: [steps] },
    ];
  },
  answer(facts, { metric }) {
    const { runs: studied, ...left } = listStudied(facts, metric);
    const runs = addElsewhere(countSteps(studied, facts), facts);
    const isStandardised = new Set(runs.map(({ environment }) => environment)).size > 1;
    const findings = evaluateFindings(isStandardised ? standardiseRuns(runs) : runs);
    const unit = { unit: isStandardised ? standardised : describeMetric(metric).unit };
    const sweepOf = new Map(facts.runs.map(({ run, cell }) => [run.id, cell.sweepId]));
    return {
      findings: findings.map((finding) => ({
        ...finding,
        parts: finding.parts.map((part) => addNeeded(part, unit, sweepOf)),
      })),
      numRuns: runs.length,
      isStandardised,
      ...left,
      sentence: `${summariseClaims(findings)} ${nameContradicted(findings)}`.trim(),
      table: toClaimsTable(findings, unit),
      longCsv: toStudiedCsv(runs),
      proved: { metric },
    };
  },
} satisfies Answering<"claims">;

export type AnsweredPart = Omit<Part, "undecided"> & {
  /** Seeds that would decide an undecided test, and the sweeps whose runs it compares. */
  needed?: Needed;
  sweepIds?: readonly string[];
};

/** Replaces the precision of an undecided test by the seeds that would decide it, and adds the unit of its means. */
function addNeeded(
  { undecided, ...part }: Part,
  metric: { unit: string },
  sweepOf: ReadonlyMap<string, string>,
): AnsweredPart {
  const unit = part.unit ?? metric.unit;
  const needed = undecided && neededOf(part.difference, undecided, { unit });
  const runIds = part.sides.flatMap((side) => side.runIds);
  const sweepIds = [...new Set(runIds.flatMap((id) => sweepOf.get(id) ?? []))];
  return { ...part, unit, ...(needed && { needed, sweepIds }) };
}

const keyElsewhere = (name: string): string => `evaluation/elsewhere/${name}/successRate`;

/** Adds to each run its success rates in environments other than its own, if its plan evaluates there. */
function addElsewhere(runs: readonly StudiedRun[], { curvesOf }: Facts): StudiedRun[] {
  return runs.map((run) => {
    const { settings } = run;
    if (isStatement(settings)) return run;
    const { iterations } = spendingOf(settings);
    const values = elsewhereOf(settings).map(({ name }) => {
      return [name, endsOf(curvesOf(run.runId).get(keyElsewhere(name)), iterations)] as const;
    });
    return values.length === 0 ? run : { ...run, elsewhere: new Map(values) };
  });
}

/** Adds to each run its mean number of optimizer steps per iteration; NaN if its staleness cannot be compared. */
function countSteps(runs: readonly StudiedRun[], { curvesOf }: Facts): StudiedRun[] {
  return runs.map((run) => {
    const curve = curvesOf(run.runId).get(steps);
    return { ...run, numSteps: curve ? mean(Array.from(curve.values).filter(Number.isFinite)) : NaN };
  });
}
