import type { Database } from "#server/db/storage/client.ts";
import type { LeftOut } from "#server/domain/plan/sweep/dependence.ts";
import { results } from "#server/domain/publish/tables/results.ts";
import type { Table } from "#packages/tables";
import { answerTogether } from "../analysis/answerQuestion.ts";
import type { Scoped } from "../analysis/readFacts.ts";

export type Tables = { final: Table; beforeAfter: Table; tasks: Table; longCsv: string; leftOut: LeftOut | null };

/** Answers three questions about final results from facts that are read once. */
export async function readTables(database: Database, asked: Scoped & { metric: string }): Promise<Tables> {
  const { stability: _, ...three } = results;
  const { final, beforeAfter, tasks } = await answerTogether(database, three, asked);
  return {
    leftOut: final.leftOut,
    final: final.table,
    beforeAfter: beforeAfter.table,
    tasks: tasks.table,
    longCsv: final.longCsv,
  };
}
