import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { describeMetric } from "#trainer/spec/metric.ts";
import { readBaseline } from "#server/db/plan/cells.ts";
import { readStabilityFacts } from "#server/db/analysis/detections.ts";
import type { Database } from "#server/db/storage/client.ts";
import { hasSearch } from "#server/db/plan/searches.ts";
import { findRepeats } from "#server/db/runs/equalRuns.ts";
import { findLeftOut } from "#server/db/runs/dependentRuns.ts";
import { describeHeadline, nameLeader } from "#server/domain/runs/headline/describe.ts";
import {
  describeDifferences,
  rankConfigurations,
  type Collapses,
  type Configuration,
  type Ranking,
} from "#server/domain/runs/headline/rank.ts";
import type { Needed } from "#server/domain/runs/neededSeeds.ts";
import { curvesOf, describeEqualRuns } from "#server/domain/runs/headline/equalRuns.ts";
import { nameTasks, taskOf, withoutTask } from "#server/domain/runs/headline/tasks.ts";
import { countLabels } from "#packages/detector";
import { writeSpread } from "#packages/statistics";
import { isOver } from "#server/domain/runs/runStatus.ts";
import { labelsThatStandOut } from "#server/domain/plan/sweep/labels/labels.ts";
import { withoutTitle, withShortLabels } from "#server/domain/plan/sweep/labels/labelTitles.ts";
import { type Facts as StudyFacts, listConfigured, type Parts } from "#server/domain/analysis/facts.ts";
import { toBuilderInput } from "#server/domain/publish/tables/builder/input.ts";
import { readFacts, readReadings } from "../analysis/readFacts.ts";

export type Headline = {
  metric: string;
  /** Sentence about the sweep's result so far; empty while no run has a value after iteration 0. */
  sentence: string;
  /** Best method in each environment in a few words, such as "SAMPO leads: 68.3 [49, 87] %". */
  leaders: string[];
  /** Leaders that are not significantly ahead of the next, and the seeds that would decide it. */
  undecided: { names: string[]; needed: Needed }[];
  cells: {
    cellId: number;
    /** Mean final value with its interval, such as "64.8 [43, 86] %". */
    figure: string;
    n: number;
    mean: number;
    /**
     * Unpaired difference from the baseline cell with its interval, such as "+4.1 [1, 7]"; absent if there is no
     * baseline.
     */
    difference?: string | undefined;
  }[];
  /** Ids of the baseline cell used here, and of the baseline that is stored for all readers. */
  baselineId: number | null;
  pinnedId: number | null;
  /** Ids of the runs whose hindsight label is a collapse. */
  collapsed: string[];
};

type TableFacts = StudyFacts & Pick<Parts, "configurations">;

/** Summarises a sweep as in its tables. `asked`: baseline cell; null: none; undefined: the stored one. */
export async function readHeadline(database: Database, sweepId: string, asked?: number | null): Promise<Headline> {
  const scope = { sweepIds: [sweepId], dependent: "every", equal: "counted" } as const;
  const study = await readFacts(database, scope, ["configurations", "metrics"]);
  const runIds = study.runs.map(({ run }) => run.id);
  const { isLeftOut, leftOut } = await findLeftOut(database.pool, runIds, { equal: "counted" });
  const key = study.metrics.usual;
  const metric = describeMetric(key);
  const facts = await readStability(database, sweepId, study);
  const equal = await findRepeats(database.pool, runIds);
  const isSearch = await hasSearch(database.pool, sweepId);
  const configurations = await readConfigurations(database, study, { key, facts, equal, isSearch });
  const dependentCells = new Set(study.runs.flatMap(({ run: { id, cellId } }) => (isLeftOut(id) ? [cellId] : [])));
  const rankings = rankConfigurations(
    configurations.filter(({ cellId }) => !dependentCells.has(cellId)),
    metric,
  );
  const ranked = leftOut ? rankConfigurations(configurations, metric) : rankings;
  const pinnedId = await readBaseline(database, sweepId);
  const isKnown = asked === null || configurations.some(({ cellId }) => cellId === asked);
  const baselineId = asked === undefined || !isKnown ? pinnedId : asked;
  const differences = baselineId === null ? undefined : describeDifferences(ranked, baselineId, metric);
  return {
    metric: key,
    sentence: describeHeadline({
      metric,
      rankings,
      collapses: countCollapses(facts.filter(({ runId }) => !isLeftOut(runId) && !equal.repeats.has(runId))),
      isSearch,
      leftOut,
      equal: describeEqualRuns(
        configurations.map(({ cellId, name, environment }) => ({
          name: rankings.length > 1 ? `${name} (${environment})` : name,
          runs: runsOf(study, cellId),
        })),
        equal.groups,
      ),
    }),
    leaders: rankings.map((ranking) => {
      const leader = nameLeader(ranking, metric);
      return rankings.length > 1 ? `${ranking.environment}: ${leader}` : leader;
    }),
    undecided: isSearch ? [] : rankings.flatMap(nameUndecided),
    cells: ranked.flatMap((ranking) =>
      ranking.ranked.map((one) => ({
        cellId: one.cellId,
        figure: writeSpread(one, metric),
        n: one.n,
        mean: one.mean,
        difference: differences?.get(one.cellId),
      })),
    ),
    baselineId,
    pinnedId,
    collapsed: facts
      .filter(hasCollapsed)
      .map(({ runId }) => runId)
      .sort(),
  };
}

/** Configurations at different iterations are not compared. */
function nameUndecided({ ranked, needed }: Ranking): Headline["undecided"] {
  const names = ranked.slice(0, 2).map(({ name }) => name);
  return needed && new Set(ranked.map(({ iteration }) => iteration)).size === 1 ? [{ names, needed }] : [];
}

function runsOf({ runs }: TableFacts, cellId: number): { runId: string; seed: number }[] {
  return runs.flatMap(({ run }) => (run.cellId === cellId ? [{ runId: run.id, seed: run.seed }] : []));
}

/** Returns the lowest iteration among a configuration's runs with values; undefined once all have ended. */
function iterationOf({ runs }: TableFacts, cellId: number): number | undefined {
  const own = runs.flatMap(({ run }) => (run.cellId === cellId ? [run] : []));
  if (own.every(({ status }) => isOver(status))) return undefined;
  return Math.min(...own.flatMap(({ latestIteration }) => (latestIteration > 0 ? [latestIteration] : [])));
}

type Facts = Awaited<ReturnType<typeof readStabilityFacts>>;

type Shown = { key: string; facts: Facts; equal: Awaited<ReturnType<typeof findRepeats>>; isSearch: boolean };

async function readConfigurations(
  database: Database,
  study: TableFacts,
  { key, facts, equal, isSearch }: Shown,
): Promise<Configuration[]> {
  const { runs } = toBuilderInput({ ...study, readingsOf: await readReadings(database, study, [key]) });
  const factsOf = new Map(facts.map((one) => [one.runId, one]));
  const cells = withShortLabels(listConfigured(study));
  const labels = cells.length > 1 ? labelsThatStandOut(cells) : [];
  const specs = cells.map(({ spec }) => spec);
  const tasks = nameTasks(specs, key);
  return cells.map(({ id, method, label, environment, isStated, spec }, index): Configuration => {
    const own = runs.filter(({ cellIndex, runId }) => cellIndex === index && !equal.repeats.has(runId));
    const readings = own.map((run) => run.readings.get(key));
    const whole = withoutTitle(labels[index] ?? "", titleOfEnvironment(environment));
    // A trial's number names it; its settings stand in its row.
    const differing = isSearch ? whole.replace(/(\btrial \d+), .*$/, "$1") : whole;
    const task = tasks[index] ?? "";
    return {
      cellId: id,
      method,
      // The label of a method that a user entered begins with "stated", because no file recorded the method.
      name: isStated ? `${method} (${label})` : `${method} ${withoutTask(differing, task)}`.trim(),
      task: taskOf(spec, key),
      environment: task,
      values: readings.map((reading) => reading?.final.value ?? NaN),
      drawn: own.flatMap(({ drawn }) => drawn ?? []),
      starts: readings.map((reading) => reading?.before ?? NaN),
      iteration: iterationOf(study, id),
      curves: curvesOf(runsOf(study, id), equal.groups),
      collapses: countCollapses(own.flatMap(({ runId }) => factsOf.get(runId) ?? [])),
    };
  });
}

/** Reads alarm and hindsight label of a sweep's runs. Archived runs are excluded. */
async function readStability(database: Database, sweepId: string, { runs }: TableFacts): Promise<Facts> {
  const counted = new Set(runs.map(({ run }) => run.id));
  const facts = await readStabilityFacts(database.pool, { sweepIds: [sweepId] });
  return facts.filter(({ runId }) => counted.has(runId));
}

function hasCollapsed({ hindsight }: Facts[number]): boolean {
  return hindsight.word.startsWith("collapsed");
}

/** Counts runs by alarm and hindsight label, as on every page of the studio. */
function countCollapses(facts: Facts): Collapses {
  const awaited = facts.filter(({ hindsight }) => hindsight.word === "not judged yet");
  return {
    numRuns: facts.length,
    ...countLabels(facts.map(({ hindsight }) => hindsight.word)),
    numAwaited: awaited.length,
    numAlarmed: awaited.filter(({ alarm }) => alarm.word === "unstable" || alarm.word === "collapsed").length,
  };
}
