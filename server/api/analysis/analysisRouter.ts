import { z } from "zod";
import { maxSweepsTogether } from "#server/domain/plan/sweep/maxSweeps.ts";
import { analysisNames } from "#server/domain/analysis/analyses.ts";
import { askedSchema, questionOptions } from "#server/domain/analysis/questionOptions.ts";
import { type QuestionId, questionIds } from "#server/domain/analysis/questions.ts";
import { type AnalysisInput, type AnalysisResult, viewing, router } from "../trpc.ts";

const ask = <Id extends QuestionId>(id: Id) =>
  viewing
    .input(askedSchema(id))
    .query(({ ctx, input, signal }): Promise<AnalysisResult<Id>> =>
      ctx.analyst.ask(id, input as AnalysisInput<Id>, signal),
    );

/** Procedures that answer questions about the runs of chosen sweeps, one for each row of the list of questions. */
type Questions = { [Id in QuestionId]: ReturnType<typeof ask<Id>> };
const asks = Object.fromEntries(questionIds.map((id) => [id, ask(id)])) as Questions;

export const analysisRouter = router({
  ...asks,

  /** Finds other sweeps that would decide claims left undecided by the chosen sweeps. */
  answering: viewing
    .input(
      questionOptions.claims.extend({
        sweepIds: z.array(z.string()).min(1).max(maxSweepsTogether),
        metric: z.string(),
      }),
    )
    .query(({ ctx, input, signal }) => ctx.analyst.ask("answering", input, signal)),

  /** Returns the progress of an analysis, by its name and input; null if it is not running. */
  progress: viewing
    .input(z.strictObject({ name: z.enum(analysisNames), input: z.record(z.string(), z.unknown()) }))
    .query(({ ctx, input: { name, input } }) => ctx.analyst.progressOf(name, input)),
});
