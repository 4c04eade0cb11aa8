import type { Database } from "#server/db/storage/client.ts";
import { readPrecedents } from "#server/db/analysis/rescue.ts";
import { citePrecedents } from "#server/domain/analysis/rescue/precedents.ts";
import { judgeBranches } from "#server/domain/analysis/rescue/answer.ts";
import { readBranchFacts } from "./readFacts.ts";

/** Reads the outcomes of a run's branches, and of branches of similar runs. */
export async function readRescueOfRun(database: Database, runId: string) {
  const [branches, precedents] = await Promise.all([
    readBranchFacts(database, { runId }),
    readPrecedents(database.pool, runId),
  ]);
  const sweepIds = [...new Set(precedents.map(({ sweepId }) => sweepId))];
  const similar = sweepIds.length > 0 ? { text: citePrecedents(precedents), sweepIds } : null;
  return { ...judgeBranches(branches), similar };
}
