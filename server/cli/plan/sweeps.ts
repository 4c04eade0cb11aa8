import type { Command } from "@commander-js/extra-typings";
import type { Database } from "#server/db/storage/client.ts";
import { countOver } from "#server/domain/runs/progress.ts";
import type { Outcome, Screen } from "../outcome.ts";
import type { Performer } from "../performer.ts";
import { type TextCell, toColumns } from "../views/columns.ts";
import { sweepState } from "../views/states.ts";

export function addSweeps(program: Command, { performInStudio }: Performer): void {
  program
    .command("sweeps")
    .description("list all sweeps")
    .action(() => performInStudio(({ database }, screen) => listSweeps(database, screen)));
}

const columns = [
  { header: "SWEEP" },
  { header: "NAME" },
  { header: "STATE" },
  { header: "OVER", align: "right" },
  { header: "FAILED", align: "right" },
  { header: "CREATED" },
] as const;

export async function listSweeps(database: Database, screen: Screen): Promise<Outcome> {
  const storage = await import("#server/db/plan/sweeps.ts");
  const sweeps = await storage.listSweeps(database);
  const rows = sweeps.map((sweep): TextCell[] => {
    const { failed } = sweep.counts;
    return [
      { text: sweep.id },
      { text: sweep.name },
      sweepState(sweep),
      { text: `${countOver(sweep.counts)}/${sweep.numRuns}` },
      failed > 0 ? { text: String(failed), style: "red" } : { text: "0" },
      { text: `${sweep.createdAt.toISOString().slice(0, 16).replace("T", " ")} UTC` },
    ];
  });
  const text = rows.length > 0 ? toColumns(columns, rows, screen) : "No sweeps yet: npx arlarena sweep run FILE.yaml";
  return { text, json: { sweeps }, exitCode: 0 };
}
