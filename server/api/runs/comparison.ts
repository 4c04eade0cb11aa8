import { taskOf } from "#server/domain/runs/headline/tasks.ts";
import { describeMetric } from "#trainer/spec/metric.ts";
import type { Database } from "#server/db/storage/client.ts";
import { findRepeats } from "#server/db/runs/equalRuns.ts";
import { readCompared, type ComparedConfiguration } from "#server/db/runs/comparedRuns.ts";
import { readSeries } from "#server/db/runs/points.ts";
import {
  type ComparedValue,
  compareSpecs,
  compareValues,
  type Differences,
} from "#server/domain/runs/compare/differences.ts";
import { groupBy } from "#packages/base";
import { finalWindow } from "#packages/statistics";

type Asked = { runIds: readonly string[]; cellIds: readonly number[] };

export type Comparison = Differences & {
  configurations: ComparedConfiguration[];
  /** Ids of requested runs and cells that do not exist. */
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
  const known = new Set<string | number>([...runIds, ...configurations.map(({ cellId }) => cellId)]);
  return {
    ...compareSpecs(configurations.map(({ spec }) => spec)),
    configurations,
    missing: [...asked.runIds, ...asked.cellIds].filter((id) => !known.has(id)).map(String),
    runIds,
    equal,
  };
}

export type ComparedFinal = ComparedValue & {
  cellId: number;
  /** Cell id of the baseline configuration in the same task. */
  baselineId: number;
};

/**
 * Returns final values of a metric by configuration, with differences from the baseline. Equal seeds count as one. A task without the
 * baseline configuration uses one of the same method (if possible, the same label), or else its first.
 */
export async function readComparedFinals(
  database: Database,
  { metric, baseline, ...asked }: Asked & { metric: string; baseline?: number | undefined },
): Promise<ComparedFinal[]> {
  const configurations = await readCompared(database, asked);
  const runIds = configurations.flatMap(({ runs }) => runs.map(({ id }) => id));
  if (runIds.length === 0) return [];
  const curves = await readSeries(database.pool, { runIds, keys: [metric] });
  const { repeats } = await findRepeats(database.pool, runIds);
  const finalOf = new Map(curves.map((curve) => [curve.runId, finalWindow(curve).value]));
  const chosen = configurations.find(({ cellId }) => cellId === baseline);
  const values = new Map<number, ComparedFinal>();
  for (const inside of groupBy(configurations, ({ spec }) => taskOf(spec, metric)).values()) {
    const from =
      inside.find((one) => one === chosen) ??
      inside.find(({ method, label }) => method === chosen?.method && label === chosen.label) ??
      inside.find(({ method }) => method === chosen?.method) ??
      inside[0];
    const compared = inside.toSorted((a, b) => Number(b === from) - Number(a === from));
    const samples = compared.map(({ runs }) =>
      runs.filter(({ id }) => !repeats.has(id)).map(({ id }) => finalOf.get(id) ?? NaN),
    );
    for (const [i, value] of compareValues(samples, describeMetric(metric)).entries()) {
      const cellId = compared[i]?.cellId ?? 0;
      values.set(cellId, { ...value, cellId, baselineId: from?.cellId ?? cellId });
    }
  }
  return configurations.flatMap(({ cellId }) => values.get(cellId) ?? []);
}
