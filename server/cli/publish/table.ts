import { type Command, Option } from "@commander-js/extra-typings";
import type { Database } from "#server/db/storage/client.ts";
import { halves } from "#packages/detector";
import { groupings } from "#server/domain/analysis/stability/grouping.ts";
import { type QuestionId, questionIds, questions } from "#server/domain/analysis/questions.ts";
import { AppError } from "#packages/base";
import type { TableFormat } from "#packages/tables";
import type { TableQuery } from "#server/domain/publish/tables/query.ts";
import { formatOption, printAnswer } from "../analysis/analyse.ts";
import type { Outcome, Performer } from "../command.ts";

export type TableChoice = {
  kind: QuestionId;
  format: TableFormat;
  metric?: string | undefined;
  rules?: string | undefined;
  seeds?: string | undefined;
  by?: string | undefined;
  baseline?: string | undefined;
  withDependent?: true | undefined;
};

const kindSummary = questionIds.map((id) => `${id}: ${questions[id].asks}`).join(" ");

export function addTable(program: Command, performer: Performer): void {
  const table = program
    .command("table")
    .description("print the answer to a question as a table, as `analyse` does; verify recomputes one from its hash");
  addTableVerify(table, performer);
  table
    .argument("<SWEEP...>")
    .addOption(new Option("--kind <KIND>", kindSummary).choices(questionIds).default("final" as const))
    .addOption(formatOption)
    .option("--metric <KEY>", "metric of the table (default: success on held-out tasks, else in training)")
    .option("--rules <VERSION>", "blind: frozen rules to evaluate (default: those in use)")
    .addOption(new Option("--seeds <SEEDS>", "blind: all seeds, or one half").choices(halves))
    .addOption(new Option("--by <GROUPS>", "survival, equivalence: groups to compare").choices(groupings))
    .option("--baseline <GROUP>", "survival, equivalence: group to compare the others with (default: the first)")
    .option("--with-dependent", "also count branches, starts and search trials beside other runs")
    .action((sweeps, choice) => performer.performInStudio(({ database }) => printTable(database, sweeps, choice)));
}

/** Prints the answer to a question with the flags of the command `table`. */
export async function printTable(
  database: Database,
  sweeps: readonly string[],
  { kind, format, seeds, withDependent, ...words }: TableChoice,
): Promise<Outcome> {
  const dependent = withDependent ? "added" : undefined;
  return printAnswer(database, { id: kind, sweeps, format, words: { ...words, half: seeds, dependent } });
}

function addTableVerify(table: Command, { performInStudio }: Performer): void {
  table
    .command("verify")
    .description("recompute a table from the hash in its comment; exit code 1 if its numbers differ")
    .argument("<HASH>")
    .action((hash) => performInStudio(({ database }) => verifyByHash(database, hash)));
}

/** Recomputes a table and compares its numbers with the stored ones. Exit code 1 if they differ. */
export async function verifyByHash(database: Database, hash: string): Promise<Outcome> {
  if (!/^[0-9a-f]{8,32}$/.test(hash)) {
    throw new AppError("bad_input", `"${hash}" is not the hash of a table: write 8 to 32 digits of 0–9 and a–f`);
  }
  const [{ verifyTable }, { readTable }, { toMarkdown }] = await Promise.all([
    import("#server/api/analysis/proofs.ts"),
    import("#server/api/publish/answers.ts"),
    import("#packages/tables"),
  ]);
  const verdict = await verifyTable(database, hash, (query, code) => readTable(database, query, code));
  const { isSame, query, code, madeAt, table } = verdict;
  const what = `${query.kind} of ${query.sweepIds.join(", ")}${describeRest(query)}, first made ${madeAt.toISOString()}`;
  const codes = code.before === code.now ? "" : ` It was made by ${code.before}; this is ${code.now}.`;
  const text = isSame
    ? `${verdict.hash}: the same numbers from the same runs (${what}).${codes}`
    : `${verdict.hash}: DIFFERENT today (${what}).${codes} The table with the present numbers:\n\n${toMarkdown(table)}`;
  return { text: text.trimEnd(), json: verdict, exitCode: isSame ? 0 : 1 };
}

/** Describes the options of a stored query, such as ", by method, baseline GRPO". */
function describeRest(query: TableQuery): string {
  return Object.entries(query)
    .filter(([name]) => name !== "kind" && name !== "sweepIds")
    .map(([name, value]) => `, ${name} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("");
}
