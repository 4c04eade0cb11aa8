import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Config, findBasePath, readConfig } from "#server/config/config.ts";
import { readModelFolders } from "#server/config/models.ts";
import { readNodes } from "#server/config/nodes.ts";
import { readProxy } from "#server/config/people.ts";
import { readStudio, removeStudio, writeStudio } from "#server/config/studio.ts";
import { AppError } from "#packages/base";
import { buildApp } from "./buildApp.ts";
import { claimHome } from "./claimHome.ts";
import { bundleTrainer } from "./bundleTrainer.ts";
import { checkPort, checkRoom } from "./checks.ts";
import { makeStudioDatabase } from "./database.ts";
import { generateClient } from "./generateClient.ts";
import { keepRunning, type Service } from "./keepRunning.ts";
import { checkRestored } from "./restoreStudio.ts";
import { orchestratorService, webService } from "./services.ts";
import { help, parseOptions } from "./options.ts";
import { randomBytes } from "node:crypto";

/** Main program of the supervisor, which performs all steps of `npm start` after packages are installed. */
const stopping = new AbortController();
/** Functions that close resources at exit, in the order of opening; they are called in reverse order. */
const opened: (() => Promise<void>)[] = [];
let opening: Promise<unknown> = Promise.resolve();

// The terminal signals the whole process group and npm forwards the signal again, so only the first signal counts.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stopping.abort());

try {
  const options = parseOptions(process.argv.slice(2), readConfig());
  if (options.kind === "help") console.log(help);
  else if (options.kind === "wrong") throw new AppError("bad_input", options.problem);
  else await Promise.race([run(options.config, options.opens), onceStopped()]);
  process.exitCode = 0;
} catch (error) {
  if (!stopping.signal.aborted) console.error(`ARLArena Studio cannot start: ${errorText(error)}`);
  process.exitCode = stopping.signal.aborted ? 0 : 1;
}
stopping.abort();
// A database that is still opening must be closed too; otherwise its server would stay running.
await Promise.race([opening.catch(() => undefined), sleep(10_000)]);
for (const close of opened.toReversed()) await close();
process.exit();

async function run(config: Config, opens: boolean): Promise<void> {
  const { home, host, port } = config;
  const basePath = findBasePath(process.env);
  if (basePath !== undefined) throw new AppError("bad_input", basePath);
  await checkRoom(home);
  checkRestored(home);
  await checkAlone(home);
  opened.push(await claimHome(home));
  await checkPort(config);
  // The configuration files are read here for their errors, which other processes would show only in their logs.
  readNodes(home);
  readProxy(home);
  readModelFolders(home);
  const logs = join(home, "logs");
  await mkdir(logs, { recursive: true });

  const openingDatabase = openDatabase(config);
  opening = openingDatabase;
  const [database, buildFolder, trainerBundle, secret] = await Promise.all([
    openingDatabase,
    generateClient(stopping.signal).then(() => buildApp(print, stopping.signal)),
    bundleTrainer(home),
    config.secret ?? readSecret(home),
  ]);
  const address = `http://${host.includes(":") ? `[${host}]` : host === "0.0.0.0" ? "127.0.0.1" : host}:${port}`;
  await writeStudio(home, { pid: process.pid, address, databaseUrl: database.url });
  opened.push(() => removeStudio(home));

  const shared = { DATABASE_URL: database.url, ARLARENA_HOME: home };
  const start = (service: Service) => {
    // A service that starts after the shutdown began would never be closed.
    if (stopping.signal.aborted) return;
    const { stop } = keepRunning(service, print);
    opened.push(stop);
  };
  // The orchestrator starts later: it would use half of a small machine while the user waits for the first page.
  start(webService({ config, address, buildFolder, secret, logs, shared }));
  const [token] = await Promise.all([makeToken(database.url), answers(`${address}/sign-in`, join(logs, "web.log"))]);
  start(orchestratorService(logs, shared, trainerBundle));
  const link = `${address}/sign-in?token=${token}`;
  print(
    `\nARLArena Studio: ${link}\n(the link signs in one browser, once; state in ${home}; Ctrl-C stops, training goes on)\n`,
  );
  if (opens) openBrowser(link);
  await onceStopped();
}

async function openDatabase(config: Config) {
  const database = await makeStudioDatabase(config, print);
  // The studio was stopped while the database opened, so only this code can still close it.
  if (stopping.signal.aborted) await database.close();
  else opened.push(database.close);
  return database;
}

// Creates a token for signing in. The modules are imported late, because they need the generated database client.
async function makeToken(databaseUrl: string): Promise<string> {
  const [{ makeDatabase }, { createSignInToken }] = await Promise.all([
    import("#server/db/storage/client.ts"),
    import("#server/db/people/signInTokens.ts"),
  ]);
  const database = makeDatabase(databaseUrl, { maxConnections: 1 });
  const token = await createSignInToken(database);
  await database.close();
  return token;
}

async function answers(url: string, logPath: string): Promise<void> {
  const untilMs = Date.now() + 60_000;
  while (!stopping.signal.aborted) {
    const response = await fetch(url, { redirect: "manual" }).catch(() => undefined);
    if (response !== undefined && response.status < 500) return;
    if (Date.now() > untilMs) throw new AppError("unavailable", `the web app does not answer (log: ${logPath})`);
    await sleep(40);
  }
}

async function checkAlone(home: string): Promise<void> {
  const studio = await readStudio(home);
  if (studio === undefined) return;
  const { address, pid } = studio;
  throw new AppError("conflict", `a studio with the state folder ${home} is running at ${address} (process ${pid})`);
}

function onceStopped(): Promise<void> {
  return new Promise((resolve) => {
    if (stopping.signal.aborted) resolve();
    stopping.signal.addEventListener("abort", () => resolve());
  });
}

function openBrowser(link: string): void {
  const commands: Partial<Record<NodeJS.Platform, string>> = { darwin: "open", win32: "explorer" };
  const child = spawn(commands[process.platform] ?? "xdg-open", [link], { stdio: "ignore", detached: true });
  child.on("error", () => print("(no browser could be opened from here)"));
  child.unref();
}

function print(line: string): void {
  console.log(line);
}

function errorText(error: unknown): string {
  if (error instanceof Error && "code" in error && error.code === "ENOSPC")
    return `the disk is full (${error.message})`;
  return error instanceof Error ? error.message : String(error);
}

/** Reads the secret that signs sessions. The first start creates it, and only its owner can read it. */
async function readSecret(home: string): Promise<string> {
  const path = join(home, "secret");
  const known = await readFile(path, "utf8").catch(() => "");
  if (known.length >= 32) return known;
  const secret = randomBytes(32).toString("base64url");
  await writeFile(path, secret, { mode: 0o600 });
  return secret;
}
