/**
 * Seconds to import finished runs of another trainer as `npx arlarena import` does, from files to judged runs: `node
 * bench/compiled.mjs importLogs [LOGS 40] [LINES 2000] [METRICS 12]`. The logs are verl's JSONL with 12 metrics, half
 * of them used by the rules, and more that are unused. Each run collapses half-way. PostgreSQL commits durably, and its
 * statistics are of one-row tables, as autovacuum may leave them.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importFiles } from "#server/engine/trainers/importFiles.ts";
import { readImport } from "#server/engine/trainers/readImport.ts";
import { split, type Rng } from "#trainer/spec/rng.ts";
import { onThrowawayDatabase, print, readNumbers } from "./throwaway.ts";

const [numLogs = 0, numLines = 0, numMetrics = 0] = readNumbers([40, 2000, 12]);

await onThrowawayDatabase({ isDurable: true }, async (database, stopwatch) => {
  const home = await mkdtemp(join(tmpdir(), "arlarena-bench-import-"));
  try {
    const files = [];
    for (let seed = 0; seed < numLogs; seed++) {
      const path = join(home, `grpo_alfworld_seed${seed}.jsonl`);
      const text = makeLog(split(seed, "bench import"));
      await writeFile(path, text);
      files.push({ name: path, path, start: 0, end: Buffer.byteLength(text) });
    }
    await database.pool.query("INSERT INTO metric_row VALUES (0, 0, 1, 1, 0, '{1}', '{0.2}')");
    await database.pool.query("ANALYZE");
    const importing = stopwatch();
    const { numRuns } = await importFiles(database, home, { files, options: {}, read: readImport });
    const { wall, cpu } = importing();
    print("runs imported", numRuns, "");
    print("wall time", wall, "s");
    print("CPU time", cpu, "s");
    print("CPU time for 400 such logs", (cpu / numRuns) * 400, "s");
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

function makeLog(rng: Rng): string {
  return Array.from({ length: numLines }, (_, i) => {
    const success = i < numLines / 2 ? Math.min(0.8, 0.1 + i / 500) : 0.05;
    const near = (x: number) => x * (1 + 0.1 * rng.normal());
    const data = {
      "episode/success_rate": Math.max(0, Math.min(1, near(success))),
      "critic/rewards/mean": near(10 * success),
      "actor/grad_norm": near(0.5),
      "actor/pg_loss": 0.1 * rng.normal(),
      "actor/entropy": near(0.4),
      "actor/kl_loss": near(0.01),
      "actor/ppo_kl": near(0.001),
      "response_length/mean": near(200),
      "actor/lr": 1e-6,
      "timing_s/step": near(30),
      "perf/throughput": near(1000),
      "critic/advantages/mean": 0.01 * rng.normal(),
      ...Object.fromEntries(Array.from({ length: numMetrics - 12 }, (_, k) => [`task/${k}/acc`, rng.next()])),
    };
    return `${JSON.stringify({ step: i + 1, data })}\n`;
  }).join("");
}
