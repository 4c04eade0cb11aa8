import type { Database } from "#server/db/storage/client.ts";
import { readDetections, readLogState } from "#server/db/analysis/detections.ts";
import {
  type Alarm,
  alarmOf,
  allRules,
  type CollapseEvent,
  detectorVersion,
  findEpisodes,
  findMissing,
  hasLoggedAll,
  type Hindsight,
  isCollapse,
  judgement,
  labelRun,
  makeDetector,
  type Missing,
  numberSteps,
  type Outcome,
  type Point,
  replay,
  shippedConfig,
  type StabilityFacts,
  type Status,
  type StepReading,
  toAlarm,
  toEffective,
  toOutcome,
} from "#packages/detector";
import { readRunPoints } from "#server/db/runs/points.ts";
import { readRun } from "#server/db/runs/runs.ts";
import { AppError } from "#packages/base";
import { countNumericVaried } from "#server/domain/analysis/phases/chooseColumns.ts";
import { summariseOverview, toOverviewCsv, toOverviewTable } from "#server/domain/analysis/stability/overviewTable.ts";
import { samplingOf } from "#server/domain/analysis/stability/samplingOf.ts";
import { withShortLabels } from "#server/domain/plan/sweep/labels/labelTitles.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import { proveAnswer } from "./proofs.ts";
import { listVaried } from "./phases.ts";
import { readRunStudy } from "./runStudy.ts";
import { readWatchedRuns, type Scoped, settingOf, type WatchedRun } from "./studyRuns.ts";

export type RunStability = {
  runId: string;
  cellId: number;
  seed: number;
  /** Status by the detector; null as long as the run has logged no metric that the rules read. */
  status: Status | null;
  alarm: Alarm;
  hindsight: Outcome;
  index: number | null;
  iteration: number;
  changes: readonly { iteration: number; status: Status }[];
  label: Hindsight["label"] | null;
  /** Lead: iterations from the detector's first true alarm (unstable or worse) to the collapse. */
  lead: number | null;
  isDetected: boolean | null;
  missing: readonly Missing[];
};

export async function readOverview(database: Database, asked: Scoped) {
  const runs = await readWatchedRuns(database, asked);
  const isOfSeveral = new Set(runs.map(({ cell }) => cell.environment)).size > 1;
  const listed = runs.map((one) => {
    return { runId: one.run.id, configuration: settingOf(one, { isOfSeveral }), ...factsOf(one) };
  });
  const table = await proveAnswer(
    database,
    { kind: "overview", sweepIds: asked.sweepIds },
    {
      table: toOverviewTable(listed),
      statuses: new Map(runs.map(({ run }) => [run.id, run.status])),
      order: asked.order,
    },
  );
  return {
    sentence: summariseOverview(listed),
    table,
    longCsv: toOverviewCsv(listed),
    detectorVersion,
    cells: withShortLabels([...new Map(runs.map(({ cell }) => [cell.id, cell])).values()]),
    runs: runs.map(({ run, detection }): RunStability => {
      const judgement = detection?.hindsight?.judgements.find(({ rule }) => rule === "unstable or worse");
      const logged = Object.fromEntries((detection?.keys ?? []).map((key) => [key, 0]));
      return {
        runId: run.id,
        cellId: run.cellId,
        seed: run.seed,
        status: detection && detection.numSteps > 0 ? detection.status : null,
        ...factsOf({ run, detection }),
        index: detection?.index ?? null,
        iteration: detection?.iteration ?? run.latestIteration,
        changes: detection?.changes ?? [],
        label: detection?.hindsight?.label ?? null,
        lead: judgement?.lead ?? null,
        isDetected: judgement?.hasCollapsed ? judgement.isDetected : null,
        missing:
          detection && hasLoggedAll({ numSteps: detection.numSteps, isOver: isOver(run.status) })
            ? findMissing([{ iteration: 0, values: logged }])
            : [],
      };
    }),
  };
}

export function factsOf({ run, detection }: Pick<WatchedRun, "run" | "detection">): StabilityFacts {
  const hasEnded = isOver(run.status);
  const isRead = detection !== undefined && detection.numSteps > 0;
  return {
    alarm: toAlarm(isRead ? alarmOf(detection.changes) : null, hasEnded),
    hindsight: toOutcome(
      detection?.hindsight?.label ?? null,
      !hasEnded || (isRead && !detection.hindsight),
      detection?.keys,
    ),
  };
}

/** The detector's readings of a run by iteration, with the metrics that it read and the alarms of other rules. */
export type RunReplay = {
  iterations: number[];
  readings: StepReading[];
  events: CollapseEvent[];
  series: { key: string; values: (number | null)[] }[];
  alarms: { rule: string; iterations: number[] }[];
  /** Label in hindsight; null as long as the run is unfinished. */
  label: Hindsight["label"] | null;
  missing: Missing[];
};

export async function readReplay(database: Database, runId: string): Promise<RunReplay> {
  const [{ spec }, log, points] = await Promise.all([
    readRun(database, runId),
    readLogState(database.pool, runId),
    readRunPoints(database.pool, runId),
  ]);
  if (points.length === 0) throw new AppError("not_found", `run ${runId} has logged no metric that the detector reads`);
  const effective = toEffective(samplingOf(spec, log?.isOver ? points.length : undefined));
  const { readings, events } = replay(makeDetector(effective, shippedConfig), points);
  const numbered = numberSteps(points);
  const seen = { points: numbered, whole: readings.map(({ status }) => status) };
  const keys = [...new Set(points.flatMap(({ values }) => Object.keys(values)))].sort();
  return {
    iterations: points.map(({ iteration }) => iteration),
    readings,
    events,
    series: keys.map((key) => ({ key, values: points.map(({ values }) => toDrawn(values, key)) })),
    alarms: allRules(effective, shippedConfig, seen).map((rule) => ({
      rule: rule.title,
      // Keeps alarms in the warm-up too, so that they appear here as in the run's events.
      iterations: findEpisodes(rule.alarms(numbered), { ...judgement, warmup: 0 }).map(
        (i) => points[i]?.iteration ?? 0,
      ),
    })),
    label: log?.isOver ? labelRun(points, { effective, hasDiverged: log.hasDiverged }) : null,
    missing: hasLoggedAll({ numSteps: points.length, isOver: log?.isOver === true }) ? findMissing(points) : [],
  };
}

/** Returns a metric's value for a chart: non-finite values become gaps, because the run's charts mark them. */
function toDrawn(values: Point["values"], key: string): number | null {
  const value = values[key];
  return value !== undefined && Number.isFinite(value) ? value : null;
}

type Offers = {
  numCollapsed: number;
  /** Number of numeric settings that vary independently: a phase diagram needs two. */
  numNumericVaried: number;
};

export async function readOffers(database: Database, { sweepIds }: Scoped): Promise<Offers> {
  const [detections, { parameters, runs }] = await Promise.all([
    readDetections(database.pool, sweepIds),
    readRunStudy(database, { scope: { sweepIds: [...sweepIds] }, columns: [] }),
  ]);
  return {
    numCollapsed: detections.filter(({ hindsight }) => hindsight && isCollapse(hindsight.label)).length,
    numNumericVaried: countNumericVaried(listVaried({ parameters, runs })),
  };
}
