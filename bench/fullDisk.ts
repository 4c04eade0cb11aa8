/**
 * A disk that fills up twice while runs train: `node bench/compiled.mjs fullDisk [MEGABYTES 400] [ITERATIONS 20]`. The whole
 * studio, its PostgreSQL included, keeps its state on a tmpfs of that size; four runs of Quick look train at once; the disk
 * is filled to its last byte, kept full until all of them wait and 20 s more, and freed. Prints what each run went
 * through and whether every point of its logs is stored as it was logged; fails where one is not. Root alone may mount.
 */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readStudio } from "#server/config/studio.ts";
import { readYamlFile } from "#server/config/yamlFile.ts";
import { type Database, makeDatabase } from "#server/db/client.ts";
import { createSweep } from "#server/db/sweeps.ts";
import { expandPlan } from "#server/domain/sweep/expand.ts";
import { SweepPlan } from "#server/domain/sweep/plan.ts";
import { root } from "#server/start/root.ts";
import { compareRuns } from "./fullDiskRuns.ts";
import { readNumbers } from "./throwaway.ts";

const [megabytes = 0, iterations = 0] = readNumbers([400, 20]);
/** How long a step may take before the run of this benchmark is a failure. */
const patienceMs = 15 * 60_000;
const keptFullMs = 20_000;

const home = mkdtempSync(join(tmpdir(), "arlarena-disk-"));
const startMs = Date.now();
process.exitCode = (await onSmallDisk(train)) ? 0 : 1;

async function onSmallDisk(work: () => Promise<boolean>): Promise<boolean> {
  const mounting = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0700`, "tmpfs", home]);
  if (mounting.status !== 0) {
    const why = mounting.error?.message ?? mounting.stderr.toString().trim();
    console.error(`A tmpfs cannot be mounted on ${home}: ${why}\nThis benchmark needs root and leave to mount.`);
    rmSync(home, { recursive: true });
    return false;
  }
  try {
    return await work();
  } finally {
    spawnSync("umount", ["--lazy", home]);
    rmSync(home, { recursive: true, force: true });
  }
}

async function train(): Promise<boolean> {
  const studio = startStudio();
  try {
    const { databaseUrl, address } = await until("the studio runs", () => readStudio(home));
    await until("its page answers", async () => (await fetch(`${address}/sign-in`)).ok || undefined);
    const database = makeDatabase(databaseUrl, { maxConnections: 2 });
    const plan = quickLook();
    const sweepId = await createSweep(database, { plan, expansion: expandPlan(plan) });
    const watched = { database, sweepId, address };
    await fillOnce(watched, "first");
    await fillOnce(watched, "second");
    await until("all four runs are over", () => whenAll(watched, ({ isOver }) => isOver));
    const isWhole = await compareRuns(database, sweepId);
    await database.close();
    return isWhole;
  } finally {
    await stop(studio);
  }
}

/** Quick look with its first seed alone: four runs. */
function quickLook(): SweepPlan {
  const preset = readYamlFile(join(root, "public/presets/quick-look.yaml"), SweepPlan);
  if (preset === undefined) throw new Error("public/presets/quick-look.yaml is missing");
  const base = { ...preset.base, budget: { ...preset.base.budget, iterations } };
  return SweepPlan.parse({ ...preset, base, seeds: [0] });
}

function startStudio(): ChildProcess {
  const port = String(20_000 + (process.pid % 20_000));
  const studio = spawn(process.execPath, ["server/start/start.mjs", "--home", home, "--port", port], {
    cwd: root,
    env: { ...process.env, ARLARENA_SLOTS: "4", DATABASE_URL: "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  studio.stdout?.on("data", (text) => process.stdout.write(String(text).replaceAll(/^(?=.)/gm, "  | ")));
  return studio;
}

async function stop(studio: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => studio.once("exit", resolve));
  if (studio.exitCode === null && studio.kill("SIGTERM")) await ended;
}

type Watched = { database: Database; sweepId: string; address: string };

async function fillOnce(watched: Watched, which: string): Promise<void> {
  const before = await readStates(watched);
  const isOn = ({ id, status, latestIteration }: State) =>
    status === "running" && latestIteration >= 2 + (before.find((one) => one.id === id)?.latestIteration ?? 0);
  await until(`all four runs train (before the ${which} filling)`, () => whenAll(watched, isOn));
  const ballast = join(home, "ballast");
  fill(ballast);
  say(`the disk is filled for the ${which} time: ${statfsSync(home).bavail} blocks free`);
  const pages = probe(watched.address);
  await until("all four runs wait for room", () =>
    whenAll(watched, ({ status, reason, isOver }) => isOver || (status === "pending" && reason === "disk_full")),
  );
  await sleep(keptFullMs);
  rmSync(ballast);
  const { numAsked, numFailed, slowestMs } = pages.stop();
  say(`the disk is freed; meanwhile a page was asked ${numAsked} times, ${numFailed} failed, slowest ${slowestMs} ms`);
}

/** Fills it with bytes, to the last one, and takes what others free meanwhile too. */
function fill(path: string): void {
  const file = openSync(path, "w");
  try {
    for (let size = 1 << 20; size >= 512; size /= 2) {
      const chunk = Buffer.alloc(size, 1);
      while (isWritten(file, chunk));
    }
  } finally {
    closeSync(file);
  }
}

function isWritten(file: number, chunk: Buffer): boolean {
  try {
    return writeSync(file, chunk) > 0;
  } catch {
    return false;
  }
}

/** Asks for a page once a second. */
function probe(address: string) {
  let [numAsked, numFailed, slowestMs] = [0, 0, 0];
  const timer = setInterval(() => {
    const sinceMs = Date.now();
    numAsked += 1;
    void fetch(`${address}/sign-in`, { signal: AbortSignal.timeout(10_000) })
      .then(
        ({ ok }) => ok,
        () => false,
      )
      .then((isOk) => {
        if (!isOk) numFailed += 1;
        slowestMs = Math.max(slowestMs, Date.now() - sinceMs);
        return undefined;
      });
  }, 1000);
  return {
    stop: () => {
      clearInterval(timer);
      return { numAsked, numFailed, slowestMs };
    },
  };
}

type State = { id: string; status: string; reason: string | null; latestIteration: number; isOver: boolean };

async function readStates({ database, sweepId }: Watched): Promise<State[]> {
  const { rows } = await database.pool.query<State>(
    `SELECT id, status, reason, latest_iteration AS "latestIteration",
       status IN ('finished', 'failed', 'cancelled') AS "isOver" FROM run WHERE sweep_id = $1 ORDER BY id`,
    [sweepId],
  );
  return rows;
}

/** True once all runs are so; prints how they are when that changes. */
let lastText = "";
async function whenAll(watched: Watched, isSo: (state: State) => boolean): Promise<true | undefined> {
  const states = await readStates(watched);
  const text = states.map(({ status, reason }) => (reason === null ? status : `${status} (${reason})`)).join(", ");
  if (text !== lastText) say(text);
  lastText = text;
  return states.length > 0 && states.every(isSo) ? true : undefined;
}

/** A database on a full disk may be away for a while: its errors count as "not yet". */
async function until<Value>(what: string, look: () => Promise<Value | undefined>): Promise<Value> {
  const giveUpMs = Date.now() + patienceMs;
  let problem = "";
  while (Date.now() < giveUpMs) {
    const value = await look().catch((error: unknown) => void (problem = String(error)));
    if (value !== undefined) {
      say(what);
      return value;
    }
    await sleep(500);
  }
  throw new Error(`not within ${patienceMs / 60_000} minutes: ${what} ${problem}`);
}

function say(text: string): void {
  console.log(`${((Date.now() - startMs) / 1000).toFixed(0).padStart(5)} s  ${text}`);
}
