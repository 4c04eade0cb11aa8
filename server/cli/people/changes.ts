import type { Command } from "@commander-js/extra-typings";
import type { Database } from "#server/db/storage/client.ts";
import type { Outcome, Performer, Screen } from "../command.ts";
import { toColumns } from "../views/columns.ts";

export function addChanges(program: Command, { performInStudio }: Performer): void {
  program
    .command("changes")
    .description("list the latest 100 changes: who changed or tried to change something, newest first")
    .argument("[WORD...]", "list only changes that contain all these words")
    .action((words) => performInStudio(({ database }, screen) => listChanges(database, words, screen)));
}

export async function listChanges(database: Database, words: readonly string[], screen: Screen): Promise<Outcome> {
  const { readChanges } = await import("#server/db/people/changes.ts");
  const changes = await readChanges(database.pool, { words, before: undefined, limit: 100 });
  const rows = changes.map(({ at, who, action, subject, problem }) => [
    at.toISOString().slice(0, 19).replace("T", " "),
    who,
    action,
    problem === null ? subject : { text: `${subject} refused: ${problem}`.trim(), style: "red" as const },
  ]);
  const text = rows.length > 0 ? toColumns(["WHEN", "WHO", "ACTION", "ABOUT"], rows, screen) : "No changes";
  return { text, json: { changes }, exitCode: 0 };
}
