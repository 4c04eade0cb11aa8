import type { Database } from "#server/db/storage/client.ts";
import { readTableStudy } from "../../runs/tableInput.ts";

const health = ["policy/klReference", "update/gradientNorm", "policy/entropy"];

export async function chooseReportMetrics(database: Database, sweepId: string): Promise<string[]> {
  const { metrics, usual } = await readTableStudy(database, { sweepIds: [sweepId] });
  return [usual, ...health.filter((key) => metrics.includes(key))];
}
