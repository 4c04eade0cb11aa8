import type { Database } from "#server/db/storage/client.ts";
import { askedSchema, questionOptions } from "#server/domain/analysis/questionOptions.ts";
import { type QuestionId, questionIds } from "#server/domain/analysis/questions.ts";
import { answers, answer } from "../publish/answers.ts";
import { readRunStudy } from "../analysis/runStudy.ts";
import { readBuiltTable } from "../publish/builtTables.ts";
import { detectorVersion } from "#packages/detector";

export const metric = "evaluation/successRate";

type Read = (sweepIds: string[]) => Promise<unknown>;

/** Rows of every analysis of methods, without the names of its sweeps. */
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

/** Tables about alarms, which count dependent runs. */
export function listAlarmTables(database: Database): Record<string, Read> {
  return {
    blind: async (sweepIds) =>
      (await answers.blind(database, { sweepIds, rules: detectorVersion, half: "all" })).table.rows,
    climbs: async (sweepIds) => (await answers.climbs(database, { sweepIds })).table.rows,
    forecast: async (sweepIds) => (await answers.forecast(database, { sweepIds })).table.rows,
  };
}
