import { z } from "zod";
import { groupBy } from "#packages/base";
import type { Pool } from "../storage/client.ts";
import { readRows } from "../storage/readRows.ts";
import { describeEqualRuns, keepDistinct, type EqualRuns } from "#server/domain/runs/headline/equalRuns.ts";
import { readCompared } from "../analysis/comparedRuns.ts";

const Row = z.object({ runId: z.string(), curves: z.string() });

/** Finds groups of runs that are equal at every step, by the hashes stored with their summaries. */
async function findEqualRuns(pool: Pool, runIds: readonly string[]): Promise<string[][]> {
  const rows = await readRows(pool, Row, {
    sql: `SELECT id AS "runId", curves FROM run WHERE id = ANY($1) AND curves IS NOT NULL ORDER BY id`,
    values: [runIds],
  });
  const groups = [...groupBy(rows, ({ curves }) => curves).values()].filter((group) => group.length > 1);
  return groups.map((group) => group.map(({ runId }) => runId));
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
