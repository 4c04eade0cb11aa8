import type { Database } from "#server/db/storage/client.ts";
import { figurePage } from "#server/domain/pages.ts";
import type { PaperFigure, PaperTable, Recipe } from "#server/domain/publish/papers/paper.ts";
import { findSweep } from "../../client/findSweep.ts";
import type { Outcome, Studio } from "../../command.ts";
import { printAnswer } from "../../analysis/analyse.ts";
import { type TableFormat, formatOf } from "#packages/tables";

type Choice = { sweeps: readonly string[]; format: TableFormat };

export async function printResult(
  { database, address }: Pick<Studio, "database" | "address">,
  { id, recipe: { result, differs } }: { id: string; recipe: Recipe },
  { sweeps, format }: Choice,
): Promise<Outcome> {
  const found = [];
  for (const sweep of sweeps) found.push(await findSweep(database, sweep));
  const sweepIds = found.map(({ id }) => id);
  const made =
    result.kind === "table"
      ? await printTable(database, result, { sweepIds, format })
      : result.kind === "transfer"
        ? await printAnswer(database, { id: "transfer", sweeps: sweepIds, format, words: {} })
        : await printFigure(database, result, { id, sweepIds, address });
  const remarks = [...(made.remarks ?? []), ...differs.map((sentence) => `Differs: ${sentence}`)];
  return { ...made, json: { ...made.json, differs }, remarks };
}

type Of = { sweepIds: readonly string[] };

async function printTable(
  database: Database,
  { options, wording }: PaperTable,
  { sweepIds, format }: Of & { format: TableFormat },
): Promise<Outcome> {
  const { readBuiltTable } = await import("#server/api/publish/builtTables.ts");
  const { table } = await readBuiltTable(database, { sweepIds, options, wording });
  const text = formatOf[format].print(table);
  return { text: text.trimEnd(), json: { sweeps: sweepIds, format, text, table }, exitCode: 0 };
}

async function printFigure(
  database: Database,
  { metrics }: PaperFigure,
  { id, sweepIds, address }: Of & { id: string; address: string | undefined },
): Promise<Outcome> {
  const { readFigure } = await import("#server/api/publish/figure.ts");
  const text = await readFigure(database, sweepIds, metrics);
  const query = sweepIds.map((id) => `sweep=${encodeURIComponent(id)}`).join("&");
  const page = `${address ?? ""}${figurePage(id)}?${query}`;
  return {
    text: text.trimEnd(),
    json: { sweeps: sweepIds, csv: text, page },
    exitCode: 0,
    remarks: [`Drawn: ${page}`],
  };
}
