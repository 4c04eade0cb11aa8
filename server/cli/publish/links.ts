import type { Command } from "@commander-js/extra-typings";
import type { Database } from "#server/db/storage/client.ts";
import type { Outcome, Performer, Screen } from "../command.ts";
import { formatDay } from "../options.ts";
import { toColumns } from "../views/columns.ts";

export function addLinks(program: Command, { performInStudio }: Performer): void {
  program
    .command("links")
    .description("list the valid shared links, without their secrets")
    .action(() => performInStudio(({ database }, screen) => listLinks(database, screen)));
}

export async function listLinks(database: Database, screen: Screen): Promise<Outcome> {
  const { listShareLinks } = await import("#server/db/publish/links.ts");
  const links = await listShareLinks(database, new Date());
  const rows = links.map(({ shows, createdBy, createdAt, expiresAt, lastUsedAt }) => [
    shows,
    createdBy,
    ...[createdAt, lastUsedAt, expiresAt].map(formatDay),
  ]);
  const columns = ["SHOWS", "CREATED BY", "CREATED", "LAST USED", "EXPIRES"];
  return { text: rows.length > 0 ? toColumns(columns, rows, screen) : "No shared links", json: { links }, exitCode: 0 };
}
