import { z } from "zod";
import { maxSweepsTogether } from "#server/domain/plan/sweep/maxSweeps.ts";
import { askedSchema } from "#server/domain/analysis/questionOptions.ts";
import { type QuestionId, questionIds } from "#server/domain/analysis/questions.ts";
import { aggregates, xAxes } from "#server/domain/runs/series/chartData.ts";

const id = z.string().min(1, "names nothing").max(200);
const list = z
  .string()
  .transform((text) => text.split(",").map((item) => item.trim()))
  .pipe(z.array(id).min(1).max(maxSweepsTogether));
const whole = (least: number, most: number) => z.coerce.number().pipe(z.int().min(least).max(most));
const metric = z.string().min(1);

function refuseOptions(
  { sweep: sweepIds, question, ...options }: { sweep: string[]; question: QuestionId },
  ctx: z.core.$RefinementCtx,
): void {
  for (const { path, message } of askedSchema(question).safeParse({ sweepIds, ...options }).error?.issues ?? []) {
    ctx.addIssue({ code: "custom", path: [...path], message });
  }
}

/** Each field is a line `name: value`. */
const blockFields = {
  headline: z.strictObject({ sweep: id }),
  chart: z.strictObject({
    sweep: list,
    metric,
    aggregate: z.enum(aggregates).default("interval"),
    /** `from` and `to` are always iterations. */
    x: z.enum(xAxes).default("iteration"),
    from: whole(0, 1e9).optional(),
    to: whole(0, 1e9).optional(),
  }),
  table: z.strictObject({
    sweep: list,
    kind: z.enum(["final", "stability", "beforeAfter", "tasks"]).default("final"),
    metric: metric.optional(),
  }),
  /** An answer to a question, with the question's options as further fields. */
  analysis: z.looseObject({ sweep: list, question: z.enum(questionIds) }).superRefine(refuseOptions),
  settings: z.strictObject({ sweep: id }),
  runs: z.strictObject({
    filter: z.string().max(2000).default(""),
    columns: list.default(["method", "environment", "seed", "state", "hindsight", "alarm", "iteration"]),
    /** A leading minus means descending order. */
    sort: z.string().max(300).optional(),
    limit: whole(1, 200).default(20),
  }),
  /** The n-th episode of the given iteration, by default of the last. */
  episode: z.strictObject({
    run: id,
    iteration: whole(0, 1e9).optional(),
    number: whole(1, 10_000).default(1),
    turns: whole(1, 100).default(12),
  }),
} as const;
export type BlockKind = keyof typeof blockFields;

const blockOf = <Kind extends BlockKind>(kind: Kind) => z.object({ kind: z.literal(kind), fields: blockFields[kind] });

export const Block = z.discriminatedUnion("kind", [
  blockOf("headline"),
  blockOf("chart"),
  blockOf("table"),
  blockOf("analysis"),
  blockOf("settings"),
  blockOf("runs"),
  blockOf("episode"),
]);
export type Block = z.infer<typeof Block>;
export type FieldsOf<Kind extends BlockKind> = z.output<(typeof blockFields)[Kind]>;

export function fieldNames(kind: BlockKind): string[] {
  return Object.keys(blockFields[kind].shape);
}

export function isBlockKind(text: string): text is BlockKind {
  return Object.hasOwn(blockFields, text);
}
