import { serialize } from "node:v8";
import { z } from "zod";
import { makeSizedCache, makeTurns, type Owners, shareOnWire } from "#packages/base";
import { findComparedSweeps } from "#server/db/analysis/comparedRuns.ts";
import { readDataStamp } from "#server/db/runs/dataStamp.ts";
import type { Database } from "#server/db/storage/client.ts";
import { type AnalysisName, isKept } from "#server/domain/analysis/analyses.ts";

const Sweeps = z.union([
  z.object({ sweepIds: z.array(z.string()) }),
  z.object({ scope: z.object({ sweepIds: z.array(z.string()) }) }).transform(({ scope }) => scope),
  z.object({ id: z.string() }).transform(({ id }) => ({ sweepIds: [id] })),
]);

const Compared = z.object({
  runIds: z.array(z.string()),
  cellIds: z.array(z.number()).default([]),
  cells: z.array(z.string()).default([]),
});
/** Runs and configurations of an input that names no sweeps. */
const Chosen = z.union([Compared, z.object({ scope: Compared }).transform(({ scope }) => scope)]);

/** Memory of kept answers: the charts of a sweep of 400 runs take 3 MB, those with a line per run 9 MB. */
const maxBytes = 64 * 1024 * 1024;

/** People take turns in comparing facts too, so that no flood of requests occupies the connections to the database. */
const turnLimits = {
  atOnce: 4,
  atOncePerPerson: 2,
  maxWaiting: 200,
  describeRefusal: (numOwn: number) =>
    `200 analyses wait, ${numOwn} of them yours, the limit is 200: try again in a few seconds`,
};

type Asked = { key: string; name: AnalysisName; input: unknown; owners: Owners; signal?: AbortSignal };

/**
 * Keeps answers about finished runs until the stored facts about the runs change. The facts are compared at every
 * request, so any process may change them.
 */
export function makeKeptAnswers({ pool }: Pick<Database, "pool">) {
  const kept = makeSizedCache<{ stamp: string; value: object }>(maxBytes);
  const turns = makeTurns(turnLimits);
  async function readStamp(input: unknown): Promise<string | undefined> {
    const chosen = Chosen.safeParse(input).data;
    const sweepIds = Sweeps.safeParse(input).data?.sweepIds ?? (chosen && (await findComparedSweeps(pool, chosen)));
    return sweepIds && readDataStamp(pool, sweepIds);
  }
  return async ({ key, name, input, owners, signal }: Asked, compute: () => Promise<unknown>): Promise<unknown> => {
    // The facts are read before the computation, so that a change during the computation makes the answer outdated.
    const stamp = isKept(name) ? await turns.take(owners, () => readStamp(input), signal) : undefined;
    if (stamp === undefined) return compute();
    const known = kept.find(key);
    if (known?.stamp === stamp) return known.value;
    const value = await compute();
    if (typeof value === "object" && value !== null) {
      kept.keep(key, { stamp, value: shareOnWire(value) }, serialize(value).length);
    }
    return value;
  };
}
