import type { Database } from "#server/db/storage/client.ts";
import { listSweeps } from "#server/db/plan/sweeps.ts";
import type { Asked } from "#server/domain/analysis/questionOptions.ts";
import type { QuestionId } from "#server/domain/analysis/questions.ts";
import { fromProved } from "#server/domain/publish/tables/builder/options.ts";
import { isOfStoredOrder, tableCode } from "#server/domain/publish/tables/proof.ts";
import type { TableQuery } from "#server/domain/publish/tables/query.ts";
import { results } from "#server/domain/publish/tables/results.ts";
import type { Table } from "#packages/tables";
import { findBranchSweeps } from "#server/db/analysis/branchRuns.ts";
import { behaviour } from "#server/domain/analysis/behaviour/answer.ts";
import { claims } from "#server/domain/analysis/claims/answer.ts";
import { compare } from "#server/domain/analysis/compare/answer.ts";
import { dimensions } from "#server/domain/analysis/effects/answer.ts";
import { phases } from "#server/domain/analysis/phases/answer.ts";
import { rescue } from "#server/domain/analysis/rescue/answer.ts";
import { hazards } from "#server/domain/analysis/stability/hazardsAnswer.ts";
import { overview } from "#server/domain/analysis/stability/overview.ts";
import { equivalence, survival } from "#server/domain/analysis/stability/survivalAnswer.ts";
import { transfer } from "#server/domain/analysis/transfer/answer.ts";
import { blind, climbs, forecast } from "#server/domain/analysis/warning/answers.ts";
import { type Again, makeAsks } from "../analysis/answerQuestion.ts";
import { readBuiltTable } from "./builtTables.ts";

type Answer = { sentence?: string; table: Table; longCsv: string; metric?: string };
type Read = { [Id in QuestionId]: (database: Database, asked: Asked<Id> & Again) => Promise<Answer> };

const asks = makeAsks({
  ...results,
  compare,
  overview,
  survival,
  equivalence,
  hazards,
  blind,
  climbs,
  forecast,
  dimensions,
  phases,
  transfer,
  rescue,
  behaviour,
  claims,
});

/** Answers to all questions. The web process imports only their types. */
export const answers = {
  ...asks,
  blind: async (database, asked) => asks.blind(database, { ...asked, sweepIds: await nameSweeps(database, asked) }),
  rescue: async (database, asked) => {
    const sweepIds = await findBranchSweeps(database, await nameSweeps(database, asked));
    return asks.rescue(database, { ...asked, sweepIds });
  },
} satisfies Read;

export type AnswerTo<Id extends QuestionId> = Awaited<ReturnType<(typeof answers)[Id]>>;

/** Returns the ids of the asked sweeps; null asks about all. */
async function nameSweeps(database: Database, { sweepIds }: { sweepIds: readonly string[] | null }) {
  return sweepIds ?? (await listSweeps(database)).map(({ id }) => id);
}

/** Answers a question whose options have been read by its schema. */
export function answer<Id extends QuestionId>(database: Database, id: Id, asked: Asked<Id> & Again): Promise<Answer> {
  const read: Read[Id] = answers[id];
  return read(database, asked);
}

/**
 * Reads the table of a stored query. Queries without `dependent` and `equal` count every run.
 * @param code version by which a stored proof was made, if older than the current one
 */
export async function readTable(database: Database, query: TableQuery, code = tableCode): Promise<Table> {
  const order = isOfStoredOrder(code) ? "stored" : "content";
  const asked = { dependent: "every", equal: "counted", unclear: "leftOut", ...query, order, code } as const;
  // Stored queries omit a default metric, so the metric shown at that time is used, whatever was logged since.
  if (asked.kind === "built") {
    return (await readBuiltTable(database, { ...asked, options: fromProved(asked.options) }, order)).table;
  }
  return (await answer(database, asked.kind, asked as never)).table;
}
