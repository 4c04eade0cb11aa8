import type { Command } from "@commander-js/extra-typings";
import type { Database } from "#server/db/storage/client.ts";
import { AppError } from "#packages/base";
import type { TableQuery } from "#server/domain/publish/tables/proof.ts";
import type { Outcome } from "../outcome.ts";
import type { Performer } from "../performer.ts";

export function addTableVerify(table: Command, { performInStudio }: Performer): void {
  table
    .command("verify")
    .description("make a table again by the hash in its comment: are its numbers what they were? 1 if not")
    .argument("<HASH>")
    .action((hash) => performInStudio(({ database }) => verifyByHash(database, hash)));
}

/** Recomputes the table of a hash and compares its numbers with the stored ones. Exit code 1 if they differ. */
export async function verifyByHash(database: Database, hash: string): Promise<Outcome> {
  if (!/^[0-9a-f]{8,32}$/.test(hash)) {
    throw new AppError("bad_input", `"${hash}" is no hash of a table: 8 to 32 digits of 0–9 and a–f`);
  }
  const [{ verifyTable }, { readTable }, { toMarkdown }] = await Promise.all([
    import("#server/api/publish/proofs.ts"),
    import("#server/api/publish/tables.ts"),
    import("#server/domain/publish/tables/markdown.ts"),
  ]);
  const verdict = await verifyTable(database, hash, (query, order) => readTable(database, query, order));
  const { isSame, query, code, madeAt, table } = verdict;
  const what = `${query.kind} of ${query.sweepIds.join(", ")}${describeRest(query)}, first made ${madeAt.toISOString()}`;
  const codes = code.before === code.now ? "" : ` It was made by ${code.before}; this is ${code.now}.`;
  const text = isSame
    ? `${verdict.hash}: the same numbers from the same runs (${what}).${codes}`
    : `${verdict.hash}: DIFFERENT today (${what}).${codes} As it is made now:\n\n${toMarkdown(table)}`;
  return { text: text.trimEnd(), json: verdict, exitCode: isSame ? 0 : 1 };
}

function describeRest(query: TableQuery): string {
  if (query.kind === "built") return `, ${JSON.stringify(query.options)}`;
  if (query.kind === "survival" || query.kind === "equivalence") return `, by ${query.by} against ${query.baseline}`;
  if (query.kind === "blind") return `, ${query.rules}, ${query.half} seeds`;
  return "metric" in query ? `, ${query.metric}` : "";
}
