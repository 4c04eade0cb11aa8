import { type Command, Option } from "@commander-js/extra-typings";
import { z } from "zod";
import { AppError, badInput } from "#packages/base";
import { formatOf, type Table, type TableFormat, tableFormats } from "#packages/tables";
import type { Database } from "#server/db/storage/client.ts";
import { askedSchema, questionOptions } from "#server/domain/analysis/questionOptions.ts";
import { type Question, type QuestionId, questionIds, questions } from "#server/domain/analysis/questions.ts";
import { findSweep } from "../client/findSweep.ts";
import type { Outcome, Performer } from "../command.ts";

/** Options of a question as words on the command line, by name. */
type Words = Readonly<Record<string, string | undefined>>;

/** Adds a command for each question, with the question's options as flags. */
export function addAnalyse(program: Command, { performInStudio }: Performer): void {
  const analyse = program
    .command("analyse")
    .description("answer a question about the runs of sweeps; `help analyse` lists the questions");
  for (const id of questionIds) {
    const command = analyse
      .command(toFlag(id))
      .description(questions[id].asks)
      .argument("<SWEEP...>")
      .addOption(formatOption);
    for (const option of listOptions(id)) command.addOption(option);
    command.action((sweeps, { format, ...words }) =>
      performInStudio(({ database }) => printAnswer(database, { id, sweeps, format, words })),
    );
  }
}

export const formatOption = new Option("--format <FORMAT>", "output format")
  .choices(tableFormats)
  .default("markdown" as const);

function listOptions(id: QuestionId): Option[] {
  return Object.entries<z.ZodType>(questionOptions[id].shape).map(([name, schema]) => {
    const { description = "", enum: choices } = z.toJSONSchema(schema, { io: "input" });
    const option = new Option(`--${toFlag(name)} <${name.toUpperCase()}>`, description);
    return choices ? option.choices(choices.map(String)) : option;
  });
}

/** Converts a name such as `beforeAfter` to the form of the command line, such as `before-after`. */
function toFlag(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export type Asking = { id: QuestionId; sweeps: readonly string[]; format: TableFormat; words: Words };

/** Prints the answer to a question. Throws `bad_input` for an option that the question does not have or allow. */
export async function printAnswer(database: Database, { id, sweeps, format, words }: Asking): Promise<Outcome> {
  const { answer } = await import("#server/api/publish/answers.ts");
  const sweepIds: string[] = [];
  for (const sweep of sweeps) sweepIds.push((await findSweep(database, sweep)).id);
  const given = Object.fromEntries(Object.entries(words).filter(([, word]) => word !== undefined));
  const asked = askedSchema(id).safeParse({ sweepIds, ...given });
  if (!asked.success) {
    throw badInput(asked.error.issues.map(({ path, message }) => ({ path: `--${toFlag(path.join("."))}`, message })));
  }
  const { sentence = "", table, metric } = await answer(database, id, asked.data);
  const { empty }: Question = questions[id];
  if (table.rows.length === 0 && empty !== undefined) {
    throw new AppError("bad_input", `no answer for ${sweepIds.join(", ")}: ${empty}`);
  }
  requireGroup(table, given["baseline"]);
  await requireMetric(table, sweepIds, given["metric"]);
  const text = formatOf[format].print(table);
  return {
    text: text.trimEnd(),
    json: { sweeps: sweepIds, ...(metric !== undefined && { metric }), ...given, format, sentence, text, table },
    exitCode: 0,
    ...(sentence !== "" && { remarks: [sentence] }),
  };
}

function requireGroup({ rows }: Table, baseline: string | undefined): void {
  const groups = rows.flatMap(({ cells: [first] }) => (first?.kind === "text" ? [first.text] : []));
  if (baseline === undefined || groups.includes(baseline)) return;
  throw new AppError("bad_input", `--baseline: no group "${baseline}"; there are ${groups.join(", ")}`);
}

/** Throws `not_found` for a metric that no run has logged, with similar names. */
async function requireMetric({ rows }: Table, sweepIds: readonly string[], metric: string | undefined): Promise<void> {
  const isEmpty = rows.every(({ cells }) => cells.every(({ kind }) => kind === "text" || kind === "missing"));
  if (metric === undefined || !isEmpty) return;
  const [metrics, { closeMatches }] = await Promise.all([
    import("#trainer/spec/metric.ts"),
    import("#server/domain/plan/sweep/closeMatches.ts"),
  ]);
  if (metrics.isMetricKey(metric)) return;
  const close = closeMatches(metric, metrics.metricKeys);
  const hint = close.length > 0 ? `did you mean ${close.join(" or ")}?` : `there are ${metrics.metricKeys.join(", ")}`;
  throw new AppError("not_found", `no run of ${sweepIds.join(", ")} has logged "${metric}"; ${hint}`);
}
