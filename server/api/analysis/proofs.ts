import { createHash } from "node:crypto";
import type { Database } from "#server/db/storage/client.ts";
import { readUndetected } from "#server/db/analysis/detections.ts";
import { countUnsummarised } from "#server/db/runs/runSummaries.ts";
import { findTableProofs, keepTableProofs } from "#server/db/publish/proofs.ts";
import { AppError, formatCount } from "#packages/base";
import { type Ends, tellEnds } from "#server/domain/runs/ends.ts";
import type { RunStatus } from "#server/domain/runs/runStatus.ts";
import { hasDependent, type LeftOut, tellLeftOut } from "#server/domain/plan/sweep/dependence.ts";
import { canBeProved, proofText, tableCode } from "#server/domain/publish/tables/proof.ts";
import { isOfLabels, isOfSuccess, parseQuery, type TableQuery } from "#server/domain/publish/tables/query.ts";
import type { Table } from "#packages/tables";

type Provable = {
  table: Table;
  statuses: ReadonlyMap<string, RunStatus>;
  /** False for a table in an old order or by former code, which is compared, and for one that may still change. */
  isFinal?: boolean;
  /** Numbers of runs that the table leaves out, which become a note and part of the query. */
  leftOut?: LeftOut | null;
  /** Runs that did not end as planned, which become a note and part of the proof. */
  ends?: Ends | undefined;
};

/**
 * Adds a reproducibility hash once every run that could join the table has ended (and has a label, if the table needs
 * it), and stores the query.
 */
export async function proveTable(
  database: Database,
  asked: TableQuery,
  { table: bare, statuses, isFinal = true, leftOut = null, ends }: Provable,
): Promise<Table> {
  const told = [ends ? tellEnds(ends) : "", leftOut ? tellLeftOut(leftOut) : ""].filter(Boolean);
  const provenance = { ...bare.provenance, ...(ends && { ends }) };
  const table = { ...bare, notes: [...bare.notes, ...told], provenance };
  const { dependent: _dependent, equal: _equal, ...rest } = asked;
  const query: TableQuery = {
    ...rest,
    ...(leftOut?.included && leftOut.included.numRepeated > 0 && { dependent: "once" }),
    ...(leftOut && hasDependent(leftOut) && { dependent: "leftOut" }),
    ...(leftOut && leftOut.numEqual > 0 && { equal: "once" }),
  };
  if (!isFinal || !canBeProved(table, statuses)) return table;
  if ((await countUnjudged(database, query)) > 0) return table;
  const hash = hashOf(proofText(query, table));
  await keepTableProofs(database, [{ hash, query, code: tableCode }]);
  return { ...table, provenance: { ...table.provenance, proof: hash } };
}

export type Verdict = {
  hash: string;
  query: TableQuery;
  /** True if the same query over the same runs still yields the same numbers. */
  isSame: boolean;
  /** Code version with which the table was made, and the current version. */
  code: { before: string; now: string };
  madeAt: Date;
  /** Table recomputed now from the stored query. */
  table: Table;
};

/** Recomputes a table by its hash or the beginning. Throws `not_found`; `conflict` if ambiguous or not labelled yet. */
export async function verifyTable(
  database: Database,
  hash: string,
  make: (query: TableQuery, code: string) => Promise<Table>,
): Promise<Verdict> {
  const [row, other] = await findTableProofs(database, hash);
  if (!row) throw new AppError("not_found", `no table with the hash ${hash} was made in this studio`);
  if (other) throw new AppError("conflict", `several tables have a hash that begins with ${hash}: give all of it`);
  const query = parseQuery(row.query);
  await requireJudged(database, query);
  const table = await make(query, row.code);
  const isSame = hashOf(proofText(query, table, row.code)) === row.hash;
  return { hash: row.hash, query, isSame, code: { before: row.code, now: tableCode }, madeAt: row.createdAt, table };
}

/** Throws `conflict` while runs lack a label: the detector labels imported runs with a delay. */
async function requireJudged(database: Database, query: TableQuery): Promise<void> {
  const numWaiting = await countUnjudged(database, query);
  if (numWaiting === 0) return;
  throw new AppError(
    "conflict",
    `not judged yet: ${formatCount(numWaiting, "run")} of ${query.sweepIds.join(", ")}. The studio judges runs one after another; try again in a minute`,
  );
}

/** Counts the runs that still lack what the table needs: a label or, for some tables, final success. */
async function countUnjudged({ pool }: Database, query: TableQuery): Promise<number> {
  if (!isOfLabels(query)) return 0;
  const unjudged = await readUndetected(pool, 100_000, query.sweepIds);
  const numUnread = isOfSuccess(query) ? await countUnsummarised(pool, query.sweepIds) : 0;
  return Math.max(unjudged.length, numUnread);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
