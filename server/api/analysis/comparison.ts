import type { Database } from "#server/db/storage/client.ts";
import { findRepeats } from "#server/db/runs/equalRuns.ts";
import { readCompared, type ComparedConfiguration } from "#server/db/analysis/comparedRuns.ts";
import { nameCell } from "#server/domain/plan/sweep/labels/nameCell.ts";
import { compareSpecs, type Differences } from "#server/domain/analysis/compare/differences.ts";
import { type ComparedFinal, compareFinals, finalOf } from "#server/domain/analysis/compare/finals.ts";
import { readCurves } from "./readFacts.ts";

type Asked = {
  runIds: readonly string[];
  cellIds: readonly number[];
  /** Names of configurations, each of `nameCells`. */
  cells?: readonly string[];
};

export type Comparison = Differences & {
  configurations: ComparedConfiguration[];
  /** Ids of requested runs and cells, and names of configurations, that do not exist. */
  missing: string[];
  /** Ids of the runs of all configurations; pages draw at most fifty of these runs. */
  runIds: string[];
  /** Sentences about runs that are equal at every step. */
  equal: string[];
};

export async function readComparison(database: Database, asked: Asked): Promise<Comparison> {
  const configurations = await readCompared(database, asked);
  const runIds = configurations.flatMap(({ runs }) => runs.map(({ id }) => id));
  const { equal } = await findRepeats(database.pool, runIds);
  const known = new Set<string | number>([
    ...runIds,
    ...configurations.flatMap((configuration) => [configuration.cellId, configuration.name, nameCell(configuration)]),
  ]);
  return {
    ...compareSpecs(configurations.map(({ spec }) => spec)),
    configurations,
    missing: [...asked.runIds, ...asked.cellIds, ...(asked.cells ?? [])].filter((id) => !known.has(id)).map(String),
    runIds,
    equal,
  };
}

/** Returns final values of a metric by configuration. Equal seeds count as one. */
export async function readComparedFinals(
  database: Database,
  { metric, baseline, ...asked }: Asked & { metric: string; baseline?: number | undefined },
): Promise<ComparedFinal[]> {
  const configurations = await readCompared(database, asked);
  const runIds = configurations.flatMap(({ runs }) => runs.map(({ id }) => id));
  const { repeats } = await findRepeats(database.pool, runIds);
  const curvesOf = await readCurves(database, [{ runIds, keys: [metric] }]);
  const valued = configurations.map(({ runs, ...configuration }) => {
    const drawn = runs.filter(({ id }) => !repeats.has(id));
    return { ...configuration, drawn, values: drawn.map(({ id }) => finalOf(curvesOf(id).get(metric))) };
  });
  return compareFinals(valued, { metric, baseline });
}
