import { verifyTable } from "#server/api/reports/proofs.ts";
import { readTable } from "#server/api/reports/tables.ts";
import type { Database } from "#server/db/client.ts";
import { readKeys } from "#server/db/points.ts";
import { readRunIds } from "#server/db/runs.ts";
import { AppError } from "#server/domain/errors.ts";
import { chooseMetric } from "#server/domain/series/openingMetric.ts";
import { closeMatches } from "#server/domain/sweep/closeMatches.ts";
import { toCsv } from "#server/domain/tables/csv.ts";
import { toLatex } from "#server/domain/tables/latex.ts";
import { toMarkdown } from "#server/domain/tables/markdown.ts";
import type { Table } from "#server/domain/tables/table.ts";
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
  const { sweep, format } = command;
  const { id } = await findSweep(database, sweep);
  const metric = command.metric ?? (await chooseMetricOf(database, id));
  const table = await readTable(database, { kind: command.table, sweepIds: [id], metric });
  if (!isMetricKey(metric) && isEmpty(table)) {
    const close = closeMatches(metric, metricKeys);
    const hint = close.length > 0 ? `did you mean ${close.join(" or ")}?` : `there are ${metricKeys.join(", ")}`;
    throw new AppError("not_found", `no run of ${id} has logged "${metric}"; ${hint}`);
  }
  const text = printers[format](table);
  return { text: text.trimEnd(), json: { sweep: id, metric, format, text, table }, exitCode: 0 };
}

async function chooseMetricOf(database: Database, sweepId: string): Promise<string> {
  const cells = await readRunIds(database, { sweepIds: [sweepId] });
  const runIds = cells.flatMap((cell) => cell.runIds);
  return chooseMetric(await readKeys(database.pool, runIds));
}

/** Makes the table of a hash again and says whether its numbers are what they were. Exit code 1 when they are not. */
export async function verifyByHash(database: Database, hash: string): Promise<Outcome> {
  if (!/^[0-9a-f]{8,32}$/.test(hash))
    throw new AppError("bad_input", `"${hash}" is no hash of a table: 8 to 32 digits of 0–9 and a–f`);
  const verdict = await verifyTable(database, hash, (query) => readTable(database, query));
  const { isSame, query, code, madeAt, table } = verdict;
  const of = query.kind === "built" ? JSON.stringify(query.options) : query.metric;
  const what = `${query.kind} of ${query.sweepIds.join(", ")}, ${of}, first made ${madeAt.toISOString()}`;
  const codes = code.before === code.now ? "" : ` It was made by ${code.before}; this is ${code.now}.`;
  const text = isSame
    ? `${verdict.hash}: the same numbers from the same runs (${what}).${codes}`
    : `${verdict.hash}: DIFFERENT today (${what}).${codes} As it is made now:\n\n${toMarkdown(table)}`;
  return { text: text.trimEnd(), json: verdict, exitCode: isSame ? 0 : 1 };
}

function isEmpty({ rows }: Table): boolean {
  return rows.every(({ cells }) => cells.every(({ kind }) => kind === "text" || kind === "missing"));
}
