import type { Database } from "#server/db/storage/client.ts";
import { readRunPoints } from "#server/db/runs/points.ts";
import { readOrigins } from "#server/db/plan/sweeps.ts";
import { AppError } from "#packages/base";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import {
  detectorVersion,
  toEffective,
  isClear,
  isInHalf,
  reportBlind,
  type BlindGroup,
  type BlindRun,
  type Half,
  lookBack,
  type Hindsight,
  findRules,
  frozenRules,
  type FrozenRules,
} from "#packages/detector";
import { samplingOf } from "#server/domain/analysis/stability/samplingOf.ts";
import { describeGroup, toBlindCsv, toBlindTable } from "#server/domain/analysis/warning/blindTable.ts";
import { provenanceOf, type Table } from "#packages/tables";
import type { UnclearChoice } from "#server/domain/plan/sweep/dependence.ts";
import { tellProgress } from "../progress.ts";
import { proveTable } from "./proofs.ts";
import { keepCounted, readStudyRuns, type Scoped, type StudyRun } from "./studyRuns.ts";

type Asked = Scoped & { rules: string; half: Half; unclear?: UnclearChoice | undefined };

export type BlindReport = {
  rules: string;
  /** All frozen versions of the collapse detector's rules, newest first. */
  versions: readonly string[];
  table: Table;
  longCsv: string;
  groups: readonly AlarmGroup[];
};

export type AlarmGroup = {
  heading: string;
  numCollapses: number;
  /**
   * `earlyRate`: fraction of detected collapses with an alarm at least ten iterations before; NaN if none was
   * detected.
   */
  rules: readonly { rule: string; numTrue: number; numFalse: number; earlyRate: number }[];
};

/** Compares frozen rules with baselines; old versions are applied again. Throws `bad_input` for an unknown version. */
export async function readBlind(
  database: Database,
  { sweepIds, rules: version, half, order, equal, unclear = "counted" }: Asked,
): Promise<BlindReport> {
  const rules = findRules(version);
  const [origins, chosen] = await Promise.all([
    readOrigins(database, sweepIds),
    readStudyRuns(database, { sweepIds, order }),
  ]);
  const { all, leftOut } = await keepCounted(database, chosen, { dependent: "added", equal });
  const descriptions = new Map(origins.map(({ id, description }) => [id, description]));
  const asked = all.filter(({ run }) => isOver(run.status) && isInHalf(run, half));
  if (rules.version !== detectorVersion) refuseSteps(asked);
  const runs: BlindRun[] = [];
  for (const [i, one] of asked.entries()) {
    tellProgress("Comparing alarms with collapses", i + 1, asked.length);
    const hindsight = await judge(database, one, rules);
    if (!hindsight || (unclear === "leftOut" && !isClear(hindsight.label))) continue;
    const { id, sweepId, seed, startedAt } = one.run;
    const description = descriptions.get(sweepId) ?? "";
    runs.push({ runId: id, seed, startedAt: isImported(one.spec) ? null : startedAt, description, hindsight });
  }
  const groups = reportBlind(runs, rules, half);
  const bare = toBlindTable({ rules, half, groups }, provenanceOf(origins));
  const statuses = new Map(all.map(({ run }) => [run.id, run.status]));
  const query = { kind: "blind", sweepIds, rules: version, half, unclear } as const;
  const isFormer = unclear === "leftOut";
  return {
    rules: version,
    versions: frozenRules.map((frozen) => frozen.version).reverse(),
    table: await proveTable(database, query, { table: bare, statuses, order, isFormer, leftOut }),
    longCsv: toBlindCsv(runs, rules),
    groups: groups.map((group) => toAlarmGroup(group, version)),
  };
}

function toAlarmGroup(group: BlindGroup, version: string): AlarmGroup {
  return {
    heading: describeGroup(group, version),
    numCollapses: group.numCollapses,
    rules: group.rows.map(({ rule, evaluation: { detected, falseAlarms, lead } }) => {
      return { rule, numTrue: detected, numFalse: falseAlarms, earlyRate: lead.atLeastTen };
    }),
  };
}

/** Maximum number of iterations that one request evaluates again: about half a minute on one core. */
const maxSteps = 200_000;

function refuseSteps(runs: readonly StudyRun[]): void {
  const numSteps = runs.reduce((sum, { detection }) => sum + (detection?.numSteps ?? 0), 0);
  if (numSteps <= maxSteps) return;
  const [given, limit] = [numSteps, maxSteps].map((n) => n.toLocaleString("en-US"));
  const message = `sweepIds: these runs have ${given} iterations to evaluate again, but the limit is ${limit}: choose fewer sweeps`;
  throw new AppError("bad_input", message);
}

/** Applies the rules to a finished run; undefined if it logged no metric that they read, or has no label yet. */
async function judge(
  database: Database,
  { run, spec, detection }: StudyRun,
  rules: FrozenRules,
): Promise<Hindsight | undefined> {
  if (rules.version === detectorVersion) return detection?.hindsight ?? undefined;
  const points = await readRunPoints(database.pool, run.id);
  if (points.length === 0) return undefined;
  const circumstances = {
    effective: toEffective(samplingOf(spec, points.length), rules.config),
    hasDiverged: run.reason === "diverged",
  };
  return lookBack(points, { ...circumstances, config: rules.config });
}
