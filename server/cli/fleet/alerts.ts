import type { Command } from "@commander-js/extra-typings";
import type { Database } from "#server/db/storage/client.ts";
import type { Outcome, Performer, Screen } from "../command.ts";
import { toColumns } from "../views/columns.ts";

export function addAlerts(program: Command, { performInStudio }: Performer): void {
  program
    .command("alerts")
    .description("list the latest 100 alerts with their channels and deliveries, newest first")
    .action(() => performInStudio(({ database }, screen) => listAlerts(database, screen)));
}

export async function listAlerts(database: Database, screen: Screen): Promise<Outcome> {
  const { readDeliveries } = await import("#server/db/fleet/alerts.ts");
  const alerts = await readDeliveries(database.pool, 100);
  const rows = alerts.map(({ at, channel, state, title, problem }) => [
    at.toISOString().slice(0, 19).replace("T", " "),
    channel,
    problem === null ? state : { text: `${state}: ${problem}`, style: "red" as const },
    title,
  ]);
  const text = rows.length > 0 ? toColumns(["WHEN", "CHANNEL", "STATE", "ALERT"], rows, screen) : "No alerts";
  return { text, json: { alerts }, exitCode: 0 };
}
