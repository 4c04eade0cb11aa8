import { z } from "zod";
import { maxSweepsTogether } from "#server/domain/plan/sweep/maxSweeps.ts";
import { askedSchema } from "#server/domain/analysis/questionOptions.ts";
import { questionIds, questions } from "#server/domain/analysis/questions.ts";
import { TableOptions, TableWording } from "./tables/builder/options.ts";

const id = z.string().min(1).max(200);
const maxRuns = 500;

const Analysis = z
  .strictObject({
    kind: z.literal("analysis"),
    question: z.enum(questionIds),
    sweepIds: z.array(id).min(1).max(maxSweepsTogether),
    options: z.record(z.string(), z.string()),
  })
  .superRefine(({ question, sweepIds, options }, ctx) => {
    const { error } = askedSchema(question).safeParse({ sweepIds, ...options });
    for (const { path, message } of error?.issues ?? []) ctx.addIssue({ code: "custom", path: [...path], message });
  });

/** A selection lists its runs by id, so that its link never shows later runs. */
export const Shared = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("sweep"), sweepId: id }),
  z.strictObject({ kind: z.literal("report"), reportId: id }),
  z.strictObject({
    kind: z.literal("table"),
    sweepIds: z.array(id).min(1).max(maxSweepsTogether),
    options: TableOptions,
    wording: TableWording,
  }),
  Analysis,
  z.strictObject({
    kind: z.literal("selection"),
    runIds: z.array(id).min(1).max(maxRuns, `a shared link shows at most ${maxRuns} runs: select fewer`),
    columns: z.array(z.string().max(300)).max(60),
  }),
]);
export type Shared = z.infer<typeof Shared>;

export function describeShared(shared: Shared): string {
  switch (shared.kind) {
    case "sweep":
      return `sweep ${shared.sweepId}`;
    case "report":
      return `report ${shared.reportId}`;
    case "table":
      return `table of ${shared.sweepIds.join(", ")}`;
    case "analysis":
      return `${questions[shared.question].title} of ${shared.sweepIds.join(", ")}`;
    case "selection":
      return shared.runIds.length === 1 ? `run ${shared.runIds[0]}` : `${shared.runIds.length} runs`;
  }
}
