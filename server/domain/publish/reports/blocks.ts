import { z } from "zod";
import { aggregates, xAxes } from "#server/domain/runs/series/chartData.ts";

const id = z.string().min(1, "names nothing").max(200);
/** Several values in one line, separated by commas. */
const list = z
  .string()
  .transform((text) => text.split(",").map((item) => item.trim()))
  .pipe(z.array(id).min(1).max(20));
const whole = (least: number, most: number) => z.coerce.number().pipe(z.int().min(least).max(most));
const metric = z.string().min(1);

/** Fields of each kind of block in a report's text. Each field is a line `name: value`. */
const blockFields = {
  /** Result of a sweep in one sentence. */
  headline: z.strictObject({ sweep: id }),
  /** Chart of a metric, with one curve per configuration. */
  chart: z.strictObject({
    sweep: list,
    metric,
    aggregate: z.enum(aggregates).default("interval"),
    /** Quantity on the x-axis. `from` and `to` are always iterations. */
    x: z.enum(xAxes).default("iteration"),
    from: whole(0, 1e9).optional(),
    to: whole(0, 1e9).optional(),
  }),
  /** Results table with its proof, as on the page of tables. */
  table: z.strictObject({
    sweep: list,
    kind: z.enum(["final", "stability", "beforeAfter", "tasks"]).default("final"),
    metric: metric.optional(),
  }),
  /** Claims of the papers, tested on the runs of these sweeps as far as possible. */
  findings: z.strictObject({ sweep: list, metric: metric.optional() }),
  /** Plan of a sweep, and the software and hardware of its runs. */
  settings: z.strictObject({ sweep: id }),
  /** List of runs, selected by the filter language of the table of runs. */
  runs: z.strictObject({
    filter: z.string().max(2000).default(""),
    columns: list.default(["method", "environment", "seed", "state", "hindsight", "alarm", "iteration"]),
    /** Column to sort by; a leading minus means descending order. */
    sort: z.string().max(300).optional(),
    limit: whole(1, 200).default(20),
  }),
  /** An evaluation episode of a run, turn by turn: the n-th episode of the given iteration, by default of the last. */
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
  blockOf("findings"),
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
