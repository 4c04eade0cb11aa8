/**
 * Compares the studio's tracking endpoint with a real `mlflow server` with its own PostgreSQL, both used by MLflow's
 * Python client. Measures metrics per second, and milliseconds to read a run of many points.
 * `ARLARENA_MLFLOW_PYTHON=…/bin/python node bench/compiled.mjs mlflow [ROUNDS 5] [SECONDS 2] [POINTS 200000]` The
 * Python command needs the packages `mlflow` and `psycopg2-binary`. Both servers are as installed: the studio by `npm
 * start`, MLflow with its default number of workers, both databases durable.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { findFreePort } from "#server/config/freePort.ts";
import { readStudio } from "#server/config/studio.ts";
import { makeDatabase } from "#server/db/storage/client.ts";
import { makePostgres } from "#server/db/embedded/postgres.ts";
import { createApiToken } from "#server/db/people/apiTokens.ts";
import { readNumbers } from "./throwaway.ts";

const python = process.env["ARLARENA_MLFLOW_PYTHON"];
if (python === undefined) throw new Error("ARLARENA_MLFLOW_PYTHON names no Python that has mlflow");
const [rounds = 0, seconds = 0, numPoints = 0] = readNumbers([5, 2, 200_000]);
const root = dirname(import.meta.dirname);
const home = await mkdtemp(join(tmpdir(), "arlarena-bench-"));
const Measurement = z.object({ what: z.string(), server: z.enum(["ours", "theirs"]), figure: z.number() });
/** Functions that close resources, called in reverse order. */
const opened: (() => Promise<unknown>)[] = [() => rm(home, { recursive: true, force: true })];
/** Last output of each server, printed when one fails. */
const lastOutput = new Map<ChildProcess, string>();
try {
  const [ours, theirs] = [await startStudio(), await startMlflow(python)];
  await printVersions(python);
  await measure(python, { ours, theirs });
} finally {
  for (const close of opened.toReversed()) await close();
}

type Server = { address: string; token?: string };

async function startStudio(): Promise<Server> {
  const folder = join(home, "studio");
  const port = await findFreePort();
  const child = run(process.execPath, [join(root, "server/start/start.mjs"), "--home", folder, "--port", String(port)]);
  const address = `http://127.0.0.1:${port}`;
  await answers(child, `${address}/sign-in`);
  const studio = await readStudio(folder);
  if (!studio) throw new Error(`no studio runs on ${folder}`);
  const database = makeDatabase(studio.databaseUrl, { maxConnections: 1 });
  const token = await createApiToken(database, { name: "bench", scopes: ["track"] });
  await database.close();
  return { address, token };
}

async function startMlflow(program: string): Promise<Server> {
  const postgres = await makePostgres({ home: join(home, "mlflow"), isDurable: true });
  opened.push(async () => {
    await postgres.close();
    await rm(dirname(postgres.dataFolder), { recursive: true, force: true });
  });
  const admin = makeDatabase(postgres.url, { maxConnections: 1 });
  await admin.pool.query("CREATE DATABASE mlflow");
  await admin.close();
  const port = await findFreePort();
  const store = postgres.url.replace(/^postgresql:(.*)\/postgres$/, "postgresql+psycopg2:$1/mlflow");
  const folder = join(home, "mlflow");
  const child = run(program, ["-m", "mlflow", "server", "--backend-store-uri", store, "--port", String(port)], folder);
  const address = `http://127.0.0.1:${port}`;
  await answers(child, `${address}/health`);
  return { address };
}

/** Starts a server that ends with this process. */
function run(program: string, args: readonly string[], cwd = root): ChildProcess {
  const child = spawn(program, args, { cwd, stdio: ["ignore", "ignore", "pipe"], detached: true });
  child.stderr?.on("data", (bytes: Buffer) =>
    lastOutput.set(child, `${lastOutput.get(child) ?? ""}${bytes.toString()}`.slice(-2000)),
  );
  const ended = once(child, "exit");
  opened.push(async () => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
    await ended;
  });
  return child;
}

async function answers(child: ChildProcess, url: string): Promise<void> {
  while (child.exitCode === null) {
    const response = await fetch(url, { redirect: "manual" }).catch(() => undefined);
    if (response !== undefined && response.status < 500) return;
    await sleep(200);
  }
  throw new Error(`${child.spawnfile} ended with exit code ${child.exitCode}: ${lastOutput.get(child)}`);
}

async function printVersions(program: string): Promise<void> {
  const code = "import mlflow, sys; print(f'MLflow {mlflow.__version__}, Python {sys.version.split()[0]}')";
  const child = spawn(program, ["-c", code], { stdio: ["ignore", "inherit", "inherit"] });
  await once(child, "exit");
  console.log(`Node.js ${process.version}, ${cpus().length} cores; ${rounds} rounds, ${seconds} s a measurement\n`);
}

async function measure(program: string, { ours, theirs }: { ours: Server; theirs: Server }): Promise<void> {
  const servers = [`ours=${ours.address}`, `theirs=${theirs.address}`];
  const args = [join(root, "bench/mlflowClient.py"), rounds, seconds, numPoints, ...servers].map(String);
  const env = { ...process.env, MLFLOW_TRACKING_TOKEN: ours.token };
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const figures = new Map<string, { ours: number[]; theirs: number[] }>();
  for await (const text of createInterface(child.stdout)) {
    const { what, server, figure } = Measurement.parse(JSON.parse(text));
    const known = figures.get(what) ?? { ours: [], theirs: [] };
    known[server].push(figure);
    figures.set(what, known);
  }
  if (child.exitCode !== 0) throw new Error(`the client ended with exit code ${child.exitCode}`);
  line(["", "ours", "MLflow", "ours as multiple of MLflow's speed"]);
  for (const [what, each] of figures) {
    const isRate = what.includes("client");
    const ratios = each.ours.map((figure, i) => {
      const other = each.theirs[i] ?? NaN;
      return isRate ? figure / other : other / figure;
    });
    line([`${what} (${isRate ? "metrics/s" : "ms"})`, spread(each.ours), spread(each.theirs), spread(ratios)]);
  }
}

/** Formats the median of some numbers with their range. */
function spread(figures: readonly number[]): string {
  const sorted = [...figures].sort((a, b) => a - b);
  const [median, least, most] = [sorted[sorted.length >> 1], sorted[0], sorted.at(-1)].map(toDigits);
  return `${median} (${least}–${most})`;
}

function toDigits(figure = NaN): string {
  return figure.toLocaleString("en", { maximumSignificantDigits: 3 });
}

function line([what = "", ...columns]: readonly string[]): void {
  console.log(what.padEnd(46) + columns.map((column) => column.padStart(28)).join(""));
}
