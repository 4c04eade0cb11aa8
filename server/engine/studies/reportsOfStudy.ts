import type { Database } from "#server/db/storage/client.ts";
import { readFrozenReports, type FrozenReport } from "#server/db/publish/reports.ts";
import { parseReport, type ReportPart } from "#server/domain/publish/reports/parseReport.ts";

/** Frozen reports whose blocks refer only to these sweeps, and to at least one. Live reports are not exported. */
export async function readReportsOf(database: Database, sweepIds: readonly string[]): Promise<FrozenReport[]> {
  const ids = new Set(sweepIds);
  const reports = await readFrozenReports(database);
  return reports.filter(({ body }) => {
    const named = parseReport(body).flatMap(sweepsOf);
    return named.length > 0 && named.every((id) => ids.has(id));
  });
}

function sweepsOf(part: ReportPart): readonly string[] {
  if (part.kind !== "block") return [];
  const { fields } = part.block;
  // A run's id begins with its sweep's id.
  if ("run" in fields) return [fields.run.replace(/-c\d+-s\d+$/, "")];
  if (!("sweep" in fields)) return [];
  return typeof fields.sweep === "string" ? [fields.sweep] : fields.sweep;
}
