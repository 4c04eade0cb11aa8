import { withLooks } from "#server/db/plan/cells.ts";
import type { Database } from "#server/db/storage/client.ts";
import { readDetections, readLogState } from "#server/db/analysis/detections.ts";
import {
  allRules,
  type CollapseEvent,
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
  type Point,
  replay,
  shippedConfig,
  type StepReading,
  toEffective,
} from "#packages/detector";
import { findRepeats } from "#server/db/runs/equalRuns.ts";
import { readRunPoints } from "#server/db/runs/points.ts";
import { readRun } from "#server/db/runs/runs.ts";
import { AppError } from "#packages/base";
import { countNumericVaried } from "#server/domain/analysis/phases/chooseColumns.ts";
import { listStability } from "#server/domain/analysis/stability/overview.ts";
import { samplingOf } from "#server/domain/analysis/stability/samplingOf.ts";
import { listVaried } from "#server/domain/analysis/phases/answer.ts";
import { readFacts } from "./readFacts.ts";

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

export async function readOffers(database: Database, { sweepIds }: { sweepIds: readonly string[] }): Promise<Offers> {
  const [detections, { parameters }] = await Promise.all([
    readDetections(database.pool, sweepIds),
    readFacts(database, { sweepIds, isOfMethods: true }, ["parameters"]),
  ]);
  return {
    numCollapsed: detections.filter(({ hindsight }) => hindsight && isCollapse(hindsight.label)).length,
    numNumericVaried: countNumericVaried(listVaried(parameters)),
  };
}

/** Reads the detector's state of each run of some sweeps, also of runs that analyses of methods leave out. */
export async function readRunStability(database: Database, { sweepIds }: { sweepIds: readonly string[] }) {
  const facts = await readFacts(database, { sweepIds, dependent: "every", equal: "counted" }, ["labels"]);
  const runIds = facts.runs.map(({ run }) => run.id);
  const { cells, ...listed } = listStability(facts, await findRepeats(database.pool, runIds));
  return { ...listed, cells: await withLooks(database.pool, cells, ({ id }) => id) };
}
