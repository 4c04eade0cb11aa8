import { readBuiltTable } from "../builtTables.ts";
import type { Database } from "#server/db/storage/client.ts";
import { readReport } from "#server/db/publish/reports.ts";
import { readFields } from "#server/db/runs/table/catalogue.ts";
import { readRunsById } from "#server/db/runs/table/rows.ts";
import { readSweep } from "#server/db/plan/sweeps.ts";
import { reportOfSweep } from "#server/domain/publish/reports/template.ts";
import { indexFields } from "#server/domain/runs/table/findField.ts";
import type { Shared } from "#server/domain/publish/shared.ts";
import { toHtml } from "#server/domain/publish/tables/html.ts";
import { formatCount } from "#packages/base";
import { chooseReportMetrics } from "./chooseMetrics.ts";
import { renderReport } from "./renderReport.ts";
import { toRunTable } from "./toTable.ts";

/** Current content of a shared link as HTML without script. Only its subject is read. */
export async function renderShared(database: Database, shared: Shared): Promise<{ title: string; html: string }> {
  switch (shared.kind) {
    case "sweep": {
      const sweep = await readSweep(database, shared.sweepId);
      const { body } = reportOfSweep(sweep, await chooseReportMetrics(database, sweep.id));
      return { title: sweep.name, html: (await renderReport(database, body)).html };
    }
    case "report": {
      const { title, body, frozen } = await readReport(database, shared.reportId);
      return { title, html: (await renderReport(database, body, frozen?.blocks)).html };
    }
    case "table": {
      const { table } = await readBuiltTable(database, shared);
      return { title: "Table", html: inRegion(toHtml(table)) };
    }
    case "selection":
      return renderSelection(database, shared);
  }
}

async function renderSelection(
  { pool }: Database,
  { runIds, columns }: Extract<Shared, { kind: "selection" }>,
): Promise<{ title: string; html: string }> {
  const index = indexFields(await readFields(pool));
  const keys = [...new Set(["method", "configuration", "seed", ...columns])];
  const fields = keys.flatMap((key) => index.find(key) ?? []);
  const rows = await readRunsById(pool, runIds, fields);
  const html = toRunTable(
    fields,
    rows.map(({ values }) => values),
  );
  return { title: formatCount(rows.length, "run"), html };
}

function inRegion(html: string): string {
  return `<div class="wide" role="group" tabindex="0" aria-label="Table">${html}</div>`;
}
