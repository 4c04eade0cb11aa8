import type { Database } from "#server/db/storage/client.ts";
import { readFacts } from "../../analysis/readFacts.ts";

const health = ["policy/klReference", "update/gradientNorm", "policy/entropy"];

export async function chooseReportMetrics(database: Database, sweepId: string): Promise<string[]> {
  const { metrics } = await readFacts(database, { sweepIds: [sweepId] }, ["configurations", "metrics"]);
  return [metrics.usual, ...health.filter((key) => metrics.keys.includes(key))];
}
