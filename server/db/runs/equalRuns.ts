import { z } from "zod";
import { groupBy } from "#packages/base";
import type { Pool } from "../storage/client.ts";
import { readColumn, readRows } from "../storage/readRows.ts";
import { describeEqualRuns, keepDistinct, type EqualRuns } from "#server/domain/runs/headline/equalRuns.ts";
import { readCompared } from "../analysis/comparedRuns.ts";
import { readSeries } from "./points.ts";

/** Metrics of training. Times, memory and throughput differ between equal runs. */
const training = "^(rollout|evaluation|policy|update|loss)/";

const Row = z.object({ runId: z.string(), mark: z.string() });

/** Maximum number of metrics that are compared point by point; the summaries of all others are equal, too. */
const maxCompared = 8;

/**
 * Finds groups of runs that are equal at every step. Stored summaries rule out nearly all runs, so that points are read
 * only for candidates. Runs whose values never change are no evidence and are left out.
 */
async function findEqualRuns(pool: Pool, runIds: readonly string[]): Promise<string[][]> {
  // An order-independent hash of all summaries takes a third of the time of a text.
  const hashes = ["final", "best", "last"].map((of, i) => `hashfloat8extended(s.${of}, 3 * s.metric_id + ${i})`);
  const rows = await readRows(pool, Row, {
    sql: `SELECT s.run_id AS "runId", concat_ws(' ', r.latest_iteration, count(*), ${hashes.map((hash) => `bit_xor(${hash})`).join(", ")}) AS mark
     FROM metric_summary s JOIN metric_name m ON m.id = s.metric_id JOIN run r ON r.id = s.run_id
     WHERE s.run_id = ANY($1) AND m.key ~ $2
     GROUP BY s.run_id, r.latest_iteration HAVING bool_or(s.best IS DISTINCT FROM s.last) ORDER BY s.run_id`,
    values: [runIds, training],
  });
  const alike = [...groupBy(rows, ({ mark }) => mark).values()].filter((group) => group.length > 1);
  const groups: string[][] = [];
  for (const group of alike) {
    const keys = await readColumn(pool, z.string(), {
      sql: `SELECT m.key FROM metric_summary s JOIN metric_name m ON m.id = s.metric_id
       WHERE s.run_id = $1 AND m.key ~ $2 AND s.best IS DISTINCT FROM s.last ORDER BY m.key LIMIT ${maxCompared}`,
      values: [group[0]?.runId, training],
    });
    const curves = await readSeries(pool, { runIds: group.map(({ runId }) => runId), keys });
    const texts = groupBy(curves, ({ runId }) => runId);
    const equal = groupBy([...texts], ([, own]) =>
      own.map(({ key, iterations, values }) => `${key} ${iterations.join()} ${values.join()}`).join("\n"),
    );
    groups.push(...[...equal.values()].filter((one) => one.length > 1).map((one) => one.map(([runId]) => runId)));
  }
  return groups;
}

type Repeats = {
  groups: EqualRuns;
  /** Runs that are equal at every step to another run of their configuration, which counts for them. */
  repeats: ReadonlySet<string>;
  /** Sentences about equal seeds and equal configurations. */
  equal: string[];
};

export async function findRepeats(pool: Pool, runIds: readonly string[]): Promise<Repeats> {
  const groups = await findEqualRuns(pool, runIds);
  if (groups.length === 0) return { groups, repeats: new Set(), equal: [] };
  const cells = (await readCompared({ pool }, { runIds, cellIds: [] })).map(({ method, label, runs }) => ({
    name: [method, label].filter((part) => part !== "").join(" "),
    runs: runs.map(({ id, seed }) => ({ runId: id, seed })),
  }));
  const repeats = cells.flatMap(({ runs }) => {
    const distinct = new Set(keepDistinct(runs, groups));
    return runs.filter((run) => !distinct.has(run)).map(({ runId }) => runId);
  });
  return { groups, repeats: new Set(repeats), equal: describeEqualRuns(cells, groups) };
}
