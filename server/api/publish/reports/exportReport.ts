import type { Database } from "#server/db/storage/client.ts";
import { readReport } from "#server/db/publish/reports.ts";
import { renderReport } from "./renderReport.ts";
import { toDocument } from "./toDocument.ts";

/** A report as one HTML file, and the blocks that could not be shown. */
export async function exportReport(database: Database, id: string) {
  const { title, body, frozen } = await readReport(database, id);
  const { html, problems } = await renderReport(database, body, frozen?.blocks);
  return {
    title,
    problems,
    file: toDocument({ title, html, asOf: frozen?.at ?? new Date(), isFrozen: frozen !== null }),
  };
}
