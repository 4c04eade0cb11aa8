/**
 * Kills `npm start` with SIGKILL in the first seconds of a start, repeatedly on one state folder. Reports refused
 * starts, processes that outlive their supervisor by 5 s, and how the last start ends, which is not killed:
 * `npx tsx bench/kills.ts [KILLS 60] [SECONDS 6]`. The supervisor alone is killed: in turn at an evenly spread time, and
 * within 100 ms of the start of its first service. Needs /proc.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "#server/config/freePort.ts";
import { makePostgres } from "#server/db/embedded/postgres.ts";
import { print, readNumbers } from "./throwaway.ts";

const [numKills = 60, seconds = 6] = readNumbers([60, 6]);
const home = await mkdtemp(join(tmpdir(), "arlarena-bench-"));
const port = await findFreePort();
const refusals: string[] = [];
let numOrphans = 0;

for (let i = 0; i < numKills; i++) {
  const studio = start();
  const limitMs = i % 2 === 0 ? (1000 * seconds * (i + 1)) / numKills : 60_000;
  const stopping = new AbortController();
  const moments: Promise<unknown>[] = [sleep(limitMs), once(studio.child, "exit")];
  if (i % 2 === 1) moments.push(untilService(studio.child.pid ?? 0, stopping.signal).then(() => sleep((i * 7) % 100)));
  await Promise.race(moments);
  stopping.abort();
  if (studio.child.exitCode !== null) refusals.push(studio.readOutput().trim());
  studio.child.kill("SIGKILL");
  // Some starts follow at once, while processes of the killed one still end.
  if (i % 4 === 0) continue;
  await sleep(5000);
  numOrphans += listServices().length;
}

const startedMs = Date.now();
const last = start();
while (!last.readOutput().includes("/sign-in?token=") && last.child.exitCode === null) await sleep(100);
print("kills", numKills, "");
print("refused starts", refusals.length, "");
for (const refusal of new Set(refusals)) console.log(refusal);
print("services that outlive their supervisor by 5 s", numOrphans, "");
print("last start", last.child.exitCode === null ? (Date.now() - startedMs) / 1000 : NaN, "s to its link");
if (last.child.exitCode !== null) console.log(last.readOutput());
const ended = once(last.child, "exit");
last.child.kill("SIGINT");
if (last.child.exitCode === null) await ended;
const postgres = await makePostgres({ home, isDurable: true });
await postgres.close();
await rm(dirname(postgres.dataFolder), { recursive: true, force: true });
await rm(home, { recursive: true, force: true });

function start(): { child: ChildProcess; readOutput: () => string } {
  const args = ["server/start/start.mjs", "--home", home, "--port", String(port)];
  const child = spawn(process.execPath, args, { env: { ...process.env, DATABASE_URL: "" } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => void (output += String(text)));
  return { child, readOutput: () => output };
}

/** Waits until a process has a child that preloads `endWithParent.mjs`. */
async function untilService(pid: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if (
      readText(`/proc/${pid}/task/${pid}/children`)
        .split(" ")
        .some((child) => readText(`/proc/${child}/cmdline`).includes("endWithParent"))
    )
      return;
    await sleep(2);
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Lists the web apps and orchestrators of this state folder. */
function listServices(): string[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => readText(`/proc/${pid}/environ`).split("\0").includes(`ARLARENA_HOME=${home}`));
}
