import { readStabilityTable, readTables } from "../api/tables.ts";
import type { Database } from "../db/client.ts";
import { AppError } from "../domain/errors.ts";
import { closeMatches } from "../domain/sweep/closeMatches.ts";
import { toCsv } from "../domain/tables/csv.ts";
import { toLatex } from "../domain/tables/latex.ts";
import { toMarkdown } from "../domain/tables/markdown.ts";
import type { Table } from "../domain/tables/table.ts";
import { isMetricKey, metricKeys } from "#trainer/spec/metric.ts";
import type { Command, TableFormat } from "./command.ts";
import { findSweep } from "./findSweep.ts";
import type { Outcome } from "./outcome.ts";

const printers: Record<TableFormat, (table: Table) => string> = {
  latex: toLatex,
  markdown: toMarkdown,
  csv: toCsv,
  json: (table) => JSON.stringify(table, undefined, 2),
};

type TableCommand = Extract<Command, { kind: "table" }>;

/** The table that the compare page exports (methods down, environments across), who learns and who collapses, or success by type of task. */
export async function printTable(database: Database, command: TableCommand): Promise<Outcome> {
  const { sweep, format, metric } = command;
  const { id } = await findSweep(database, sweep);
  const table = await readTable(database, id, command);
  if (!isMetricKey(metric) && isEmpty(table)) {
    const close = closeMatches(metric, metricKeys);
    const hint = close.length > 0 ? `did you mean ${close.join(" or ")}?` : `there are ${metricKeys.join(", ")}`;
    throw new AppError("not_found", `no run of ${id} has logged "${metric}"; ${hint}`);
  }
  const text = printers[format](table);
  return { text: text.trimEnd(), json: { sweep: id, metric, format, text, table }, exitCode: 0 };
}

async function readTable(database: Database, sweepId: string, { table, metric }: TableCommand): Promise<Table> {
  switch (table) {
    case "final":
      return (await readTables(database, [sweepId], metric)).final;
    case "tasks":
      return (await readTables(database, [sweepId], metric)).tasks;
    case "stability":
      return readStabilityTable(database, [sweepId], metric);
  }
}

function isEmpty({ rows }: Table): boolean {
  return rows.every(({ cells }) => cells.every(({ kind }) => kind === "text" || kind === "missing"));
}
