/**
 * Latency of other requests while browsers follow a live sweep: `node bench/compiled.mjs followers [READERS 200]
 * [SECONDS 30]`. 40 live runs log 12 metrics every second; every reader follows six charts of them. Readers and writer
 * are separate processes. Prints median and 95th percentile of `sweep.list`, and the server process's longest pause and
 * CPU time.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { get } from "node:http";
import type { AddressInfo } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { createHTTPServer } from "@trpc/server/adapters/standalone";
import { makeAnalyst } from "#server/api/analyst/analyst.ts";
import { appRouter } from "#server/api/root.ts";
import { type Database, makeDatabase } from "#server/db/storage/client.ts";
import { makeNotifications } from "#server/db/storage/notifications.ts";
import { appendPoints, makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { insertRun } from "#server/db/testing/insertRun.ts";
import { metrics } from "#trainer/spec/metric.ts";
import { medianOf, onThrowawayDatabase, print } from "./throwaway.ts";

const numRuns = 40;
const keys = Object.keys(metrics).slice(0, 12);
const [role = "", ...rest] = process.argv.slice(2);
if (role === "write") await write(rest[0] ?? "");
else if (role === "read") await read(rest[0] ?? "", Number(rest[1]), Number(rest[2]));
else await serve(Number(role || 200), Number(rest[0] ?? 30));

async function serve(numReaders: number, numSeconds: number): Promise<void> {
  await onThrowawayDatabase({ isDurable: true }, async (database, _stopwatch, url) => {
    for (let i = 0; i < numRuns; i++) await insertRun(database, `run${i}`);
    await database.pool.query("UPDATE cell SET sweep_id = 'sweep-of-run0', index = id");
    await database.pool.query("UPDATE run SET sweep_id = 'sweep-of-run0'");
    const notifications = makeNotifications(url);
    const analyst = makeAnalyst(database, { databaseUrl: url, home: "/nowhere" });
    const caller = { kind: "session", isSameOrigin: true, person: null } as const;
    const server = createHTTPServer({
      router: appRouter,
      createContext: () => ({ database, notifications, analyst, caller }),
    });
    server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const writer = fork(import.meta.filename, ["write", url]);
    while ((await countLines(database)) < numRuns * 300) await sleep(200);
    const reader = fork(import.meta.filename, ["read", address, String(numReaders), String(numSeconds)]);
    await once(reader, "message");
    const start = process.cpuUsage();
    const delays = monitorEventLoopDelay({ resolution: 5 });
    delays.enable();
    await once(reader, "exit");
    const { user, system } = process.cpuUsage(start);
    print(`${numReaders} readers: longest pause of the server's process`, delays.max / 1e6, "ms");
    print(
      `${numReaders} readers: CPU time of the server's process`,
      (user + system) / 1000 / numSeconds,
      "ms a second",
    );
    writer.kill();
    server.close();
    analyst.close();
    await notifications.close();
  });
  process.exit();
}

async function countLines({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ n: number }>("SELECT sum(num_metric_lines)::int AS n FROM attempt");
  return rows[0]?.n ?? 0;
}

/** Writes one line per run and second, with a notification. */
async function write(url: string): Promise<void> {
  const database = makeDatabase(url);
  const ids = await makeMetricIds(database.pool)(keys);
  const metricIds = keys.map((key) => ids.get(key) ?? 0);
  const { rows } = await database.pool.query<{ id: number; runId: string }>(
    `SELECT id, run_id AS "runId" FROM attempt`,
  );
  for (let seq = 0; ; seq++) {
    const values = keys.map((_, i) => Math.sin(seq / 10 + i));
    const client = await database.pool.connect();
    await client.query("BEGIN");
    await appendPoints(
      client,
      rows.map(({ id }) => ({ attemptId: id, seq, iteration: seq, optimizerStep: seq, atMs: 0, metricIds, values })),
    );
    await client.query("UPDATE attempt SET num_metric_lines = $1::int + 1, last_seq = $1", [seq]);
    await client.query("UPDATE run SET latest_iteration = $1", [seq]);
    await client.query(
      `SELECT pg_notify('arlarena', json_build_object('sweepId', sweep_id, 'runId', id, 'kind', 'points')::text) FROM run`,
    );
    await client.query("COMMIT");
    client.release();
    if (seq > 300) await sleep(1000);
  }
}

async function read(address: string, numReaders: number, numSeconds: number): Promise<void> {
  const selection = {
    scope: { sweepIds: ["sweep-of-run0"] },
    keys: keys.slice(0, 6),
    aggregate: "std",
    seeds: true,
    range: null,
  };
  const ask = async (path: string, input?: unknown): Promise<{ text: string; ms: number }> => {
    const startMs = performance.now();
    const query = input === undefined ? "" : `?input=${encodeURIComponent(JSON.stringify(input))}`;
    const response = await fetch(`${address}/${path}${query}`);
    return { text: await response.text(), ms: performance.now() - startMs };
  };
  let numEvents = 0;
  const { text } = await ask("series.charts", selection);
  const cursor = /"cursor":"([^"]*)"/.exec(text)?.[1] ?? "";
  const isTold = new Set<number>();
  for (let i = 0; i < numReaders; i++) {
    const input = encodeURIComponent(JSON.stringify({ ...selection, cursor }));
    get(`${address}/series.live?input=${input}`, (response) => {
      response.setEncoding("utf8").on("data", (chunk: string) => {
        const numNew = chunk.match(/^id: /gm)?.length ?? 0;
        numEvents += numNew;
        if (numNew > 0) isTold.add(i);
      });
    });
  }
  // On a busy machine connecting takes seconds; measurement starts afterwards.
  const connectingMs = performance.now();
  while (isTold.size < numReaders) await sleep(50);
  print(`${numReaders} readers: all have news after`, (performance.now() - connectingMs) / 1000, "s");
  numEvents = 0;
  process.send?.("connected");
  const times: number[] = [];
  const sinceMs = performance.now();
  while (performance.now() - sinceMs < numSeconds * 1000) {
    times.push((await ask("sweep.list")).ms);
    await sleep(150);
  }
  const seconds = (performance.now() - sinceMs) / 1000;
  print(`${numReaders} readers: events a reader and second`, numEvents / numReaders / seconds, "");
  print(`${numReaders} readers: another request, median`, medianOf(times), "ms");
  print(
    `${numReaders} readers: another request, slowest twentieth`,
    times.toSorted((a, b) => b - a)[Math.floor(times.length / 20)] ?? NaN,
    "ms",
  );
  process.exit();
}
