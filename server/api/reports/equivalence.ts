import type { Database } from "#server/db/client.ts";
import { readOrigins } from "#server/db/sweeps.ts";
import { AppError } from "#server/domain/errors.ts";
import { reportEquivalence } from "#server/domain/stability/report/equivalence.ts";
import { toDurationsCsv } from "#server/domain/stability/report/survivalTable.ts";
import { toEquivalenceTable } from "#server/domain/tables/collapses/equivalenceTable.ts";
import { provenanceOf } from "#server/domain/tables/provenance.ts";
import type { Table } from "#server/domain/tables/table.ts";
import { proveTable } from "./proofs.ts";
import { readGroupedRuns, type Asked } from "./survival.ts";

/**
 * Equivalence of groups with a baseline (default: the first) in final success; no row without pairs. Throws `bad_input`
 * for an unknown baseline.
 */
export async function readEquivalence(
  database: Database,
  sweepIds: readonly string[],
  { by, baseline, order }: Asked,
): Promise<{ table: Table; longCsv: string }> {
  const [{ runs, statuses }, origins] = await Promise.all([
    readGroupedRuns(database, sweepIds, { by, order }),
    readOrigins(database, sweepIds),
  ]);
  const groups = [...new Set(runs.map(({ group }) => group))];
  const base = baseline === undefined || baseline === "" ? (groups[0] ?? "") : baseline;
  if (base !== "" && !groups.includes(base)) {
    throw new AppError("bad_input", `baseline: no group "${base}"; there are ${groups.join(", ")}`);
  }
  const bare = { ...toEquivalenceTable(reportEquivalence(runs, base), base), provenance: provenanceOf(origins) };
  const query = { kind: "equivalence", sweepIds, by, baseline: base } as const;
  return { table: await proveTable(database, query, { table: bare, statuses, order }), longCsv: toDurationsCsv(runs) };
}
