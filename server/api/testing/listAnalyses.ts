import type { Database } from "#server/db/storage/client.ts";
import { askedSchema, questionOptions } from "#server/domain/analysis/questionOptions.ts";
import { type QuestionId, questionIds } from "#server/domain/analysis/questions.ts";
import { answer } from "../publish/answers.ts";
import { readRunStudy } from "../analysis/runStudy.ts";
import { readBuiltTable } from "../publish/builtTables.ts";

export const metric = "evaluation/successRate";

type Read = (sweepIds: string[]) => Promise<unknown>;

/** Rows of every analysis of methods and alarms, without the names of its sweeps. */
export function listAnalyses(database: Database): Record<string, Read> {
  const ids = questionIds.filter((id) => "dependent" in questionOptions[id].shape);
  const read = (id: QuestionId) => async (sweepIds: string[]) =>
    (await answer(database, id, askedSchema(id).parse({ sweepIds }))).table.rows;
  return {
    ...Object.fromEntries(ids.map((id) => [id, read(id)])),
    hyperparameters: async (sweepIds) => (await readRunStudy(database, { scope: { sweepIds }, columns: [] })).runs,
    built: async (sweepIds) => (await readBuiltTable(database, { sweepIds, options: {} })).table.rows,
  };
}
