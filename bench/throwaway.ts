import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { type Browser, type BrowserContextOptions, chromium } from "@playwright/test";
import { migrate } from "#prisma/migrate.ts";
import { findFreePort } from "#server/config/freePort.ts";
import { createSignInToken } from "#server/db/people/signInTokens.ts";
import { type Database, makeDatabase } from "#server/db/storage/client.ts";
import { makePostgres } from "#server/db/embedded/postgres.ts";

/** Calls `work` with a temporary migrated PostgreSQL database, with durable commits as in the product. */
export async function onThrowawayDatabase(
  { isDurable }: { isDurable: boolean },
  work: (database: Database, stopwatch: Stopwatch, url: string) => Promise<void>,
): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), "arlarena-bench-"));
  const postgres = await makePostgres({ home, isDurable });
  try {
    await migrate(postgres.url);
    const database = makeDatabase(postgres.url);
    await work(database, makeStopwatch(postgres.pid), postgres.url);
    await database.close();
  } finally {
    await postgres.close();
    await rm(dirname(postgres.dataFolder), { recursive: true, force: true });
    await rm(home, { recursive: true, force: true });
  }
}

export type Seconds = { wall: number; cpu: number };

/**
 * Starts a measurement; the returned function reads it. Wall time depends on this machine's load. CPU time of this
 * process and PostgreSQL is the time on an idle core; on a busy machine, compare the CPU time (NaN without /proc).
 */
export type Stopwatch = () => () => Seconds;

function makeStopwatch(postmaster: number): Stopwatch {
  return () => {
    const startMs = performance.now();
    const startUsage = process.cpuUsage();
    const startOfChildren = cpuOfChildren(postmaster);
    return () => {
      const { user, system } = process.cpuUsage(startUsage);
      const cpu = (user + system) / 1e6 + cpuOfChildren(postmaster) - startOfChildren;
      return { wall: (performance.now() - startMs) / 1000, cpu };
    };
  };
}

/**
 * Sums the CPU seconds of a process's descendants, also of those that ended. Fields 4, 14 and 15 of /proc/PID/stat are
 * parent, user time and system time, 16 and 17 the times of ended children; times are in hundredths of a second.
 */
function cpuOfChildren(parent: number): number {
  if (!existsSync("/proc/self/stat")) return NaN;
  const stats = new Map(
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => [pid, readStat(pid)]),
  );
  const sumBelow = (pid: string): number => {
    const ended = stats.get(pid) ?? [];
    const children = [...stats].filter(([, fields]) => fields[1] === pid);
    const running = children.map(([child, fields]) => Number(fields[11]) + Number(fields[12]) + sumBelow(child));
    return running.reduce((sum, ticks) => sum + ticks, Number(ended[13] ?? 0) + Number(ended[14] ?? 0));
  };
  return sumBelow(String(parent)) / 100;
}

function readStat(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
  } catch {
    return [];
  }
}

/**
 * Returns the sizes in bytes of the two tables of points, `metric_row` (hot) and `metric_block` (compacted), and the
 * bytes per point, with indexes and overhead.
 */
export async function measureBytesPerPoint({
  pool,
}: Database): Promise<{ hot: number; compacted: number; perPoint: number }> {
  await pool.query("VACUUM metric_row, metric_block");
  const { rows } = await pool.query<{ hot: number; compacted: number; perPoint: number }>(
    `SELECT hot, compacted, (hot + compacted) / numPoints AS "perPoint" FROM (
       SELECT pg_total_relation_size('metric_row')::float8 AS hot,
         pg_total_relation_size('metric_block')::float8 AS compacted,
         coalesce((SELECT sum(num_points) FROM metric_block), 0)::float8
           + coalesce((SELECT sum(cardinality(values)) FROM metric_row), 0)::float8 AS numPoints
     ) AS sizes`,
  );
  return rows[0] ?? { hot: 0, compacted: 0, perPoint: NaN };
}

/** Parses positive integers on the command line, in order, with defaults for missing numbers. */
export function readNumbers(defaults: readonly number[]): number[] {
  return defaults.map((fallback, i) => {
    const text = process.argv[i + 2];
    if (text !== undefined && !/^[1-9]\d*$/.test(text)) throw new Error(`${text} is not a positive integer`);
    return text === undefined ? fallback : Number(text);
  });
}

export function print(title: string, figure: number, unit: string): void {
  console.log(`${title.padEnd(58)} ${figure.toLocaleString("en", { maximumFractionDigits: 1 }).padStart(12)} ${unit}`);
}

/** Options to open pages with an empty cache, signed in, at desktop size; the supervisor's lines so far. */
export type Opener = {
  browser: Browser;
  options: BrowserContextOptions;
  lines: readonly string[];
  /** CPU seconds of the studio's processes and of PostgreSQL so far. */
  readCpu: () => number;
};

/** Starts a studio on a database and calls `work` with a browser. Afterwards both end and the studio's folder is deleted. */
export async function openStudio(
  { database, url }: { database: Database; url: string },
  work: (opener: Opener) => Promise<void>,
): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), "arlarena-bench-"));
  const port = await findFreePort();
  const args = ["server/start/start.mjs", "--home", home, "--port", String(port)];
  const env = { ...process.env, DATABASE_URL: url };
  // The studio inherits standard error: errors stay visible, and no unread pipe can fill up.
  const studio = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const lines: string[] = [];
  createInterface(studio.stdout).on("line", (line) => lines.push(line));
  const ended = new Promise((resolve) => studio.once("exit", resolve));
  const system = "/usr/bin/chromium";
  const browser = await chromium.launch(existsSync(system) ? { executablePath: system, args: ["--no-sandbox"] } : {});
  try {
    await new Promise<void>((resolve, reject) => {
      studio.stdout.on("data", (text: Buffer) => text.includes("/sign-in?token=") && resolve());
      studio.once("exit", (code) => reject(new Error(`the studio ended with ${code}`)));
    });
    const options = { baseURL: `http://127.0.0.1:${port}`, viewport: { width: 1440, height: 900 } };
    const page = await browser.newPage(options);
    await page.goto(`/sign-in?token=${await createSignInToken(database)}`);
    await page.waitForURL((address) => !address.pathname.startsWith("/sign-in"));
    const storageState = await page.context().storageState();
    await page.context().close();
    const { rows } = await database.pool.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    const postmaster = Number(readStat(String(rows[0]?.pid))[1]);
    const readCpu = () => cpuOfChildren(studio.pid ?? NaN) + cpuOfChildren(postmaster);
    await work({ browser, options: { ...options, storageState }, lines, readCpu });
  } finally {
    await browser.close();
    studio.kill("SIGINT");
    await ended;
    await rm(home, { recursive: true, force: true });
  }
}
