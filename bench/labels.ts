/**
 * Measures how fast the orchestrator labels recorded runs again, as after an import or with new rules: `node
 * bench/compiled.mjs labels [STUDY …]` (default: studies/rescue/*.arlarena). The orchestrator is a process of its own,
 * as in the product. This process reads a sweep's headline before and meanwhile. The hash covers every state, label
 * and event, so two versions that label equally print the same one.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { median } from "#packages/statistics";
import { readUndetected } from "#server/db/analysis/detections.ts";
import type { Database } from "#server/db/storage/client.ts";
import { readColumn } from "#server/db/storage/readRows.ts";
import { readHeadline } from "#server/api/runs/headline.ts";
import { orchestrate } from "#server/engine/orchestrator/orchestrate.ts";
import { type ImportedStudy, importStudy } from "#server/engine/studies/importStudy.ts";
import { contentHash } from "#trainer/spec/canonical.ts";
import { onThrowawayDatabase, print } from "./throwaway.ts";

const words = process.argv.slice(2);
if (process.send) await orchestrateUntilTold(words[0] ?? "");
else await measure(words.length > 0 ? words : await listRescues());

async function listRescues(): Promise<string[]> {
  return (await readdir("studies/rescue")).map((name) => join("studies/rescue", name));
}

/** Runs in the forked process. At the end, it sends the CPU seconds that it used. */
async function orchestrateUntilTold(databaseUrl: string): Promise<void> {
  const stop = new AbortController();
  process.once("message", () => stop.abort());
  await orchestrate({ databaseUrl, nodes: [], log: console.error }, stop.signal);
  const { user, system } = process.cpuUsage();
  process.send?.((user + system) / 1e6);
  process.disconnect();
}

async function measure(files: readonly string[]): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), "arlarena-bench-labels-"));
  await onThrowawayDatabase({ isDurable: true }, async (database, stopwatch, databaseUrl) => {
    const importing = stopwatch();
    const sweeps: ImportedStudy["sweeps"] = [];
    for (const file of files) sweeps.push(...(await importStudy(database, home, file)).sweeps);
    const { wall, cpu } = importing();
    print("import", wall, "s");
    print("import, CPU", cpu, "s");
    await database.pool.query("UPDATE detection SET detector_version = 'rules-0'");
    const numWaiting = (await readUndetected(database.pool, 1e6)).length;
    const read = () => readHeadline(database, sweeps[0]?.id ?? "");
    print("headline of a sweep before, median", await timeWhile(read, sleep(10_000)), "ms");

    const labelling = stopwatch();
    const orchestrator = fork(process.argv[1] ?? "", [databaseUrl]);
    print("headline of a sweep meanwhile, median", await timeWhile(read, untilLabelled(database)), "ms");
    const took = labelling();
    print(`label ${numWaiting} runs`, took.wall, "s");
    orchestrator.send("stop");
    const [orchestratorS] = await once(orchestrator, "message");
    print("CPU of the orchestrator", Number(orchestratorS), "s");
    print("CPU of PostgreSQL, with the headlines", took.cpu, "s");
    console.log(`labels ${await hashLabels(database)}`);
  });
  await rm(home, { recursive: true, force: true });
}

async function untilLabelled({ pool }: Database): Promise<void> {
  while ((await readUndetected(pool, 1)).length > 0) await sleep(200);
}

/** Returns the median duration of `read` in ms, repeated every second until `over`. */
async function timeWhile(read: () => Promise<unknown>, over: Promise<unknown>): Promise<number> {
  const took: number[] = [];
  const state = { isOver: false };
  void over.then(() => (state.isOver = true));
  while (!state.isOver) {
    const startMs = performance.now();
    await read();
    took.push(performance.now() - startMs);
    await sleep(1000);
  }
  return median(took);
}

async function hashLabels({ pool }: Database): Promise<string> {
  const rows = await readColumn(pool, z.string(), {
    sql: `SELECT jsonb_build_array(run_id, status, index, iteration, num_steps, changes, keys, hindsight, alarm, alarm_at,
       memory, (SELECT jsonb_agg(jsonb_build_array(iteration, kind, severity, message, evidence)
         ORDER BY iteration, kind, severity, message) FROM collapse_event e
         WHERE e.run_id = d.run_id AND e.detector_version = d.detector_version))::text
     FROM detection d ORDER BY run_id`,
    values: [],
  });
  return contentHash(rows).slice(0, 16);
}
