import { ignoreMissing } from "#server/config/fileErrors.ts";
import { writeWhole } from "#server/config/writeWhole.ts";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { link, mkdir, open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { cpus, freemem, homedir, loadavg, platform, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "#packages/base";
import type { JobState } from "#server/domain/fleet/job.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { evaluateOption } from "#trainer/spec/elsewhere.ts";
import { lineOf } from "#trainer/spec/origin.ts";
import { earlierJobs, folderIn, type Job, type Launcher, maxLogBytes, parseJobId } from "./launcher.ts";
import { observeProcess, ProcessIdentity, signalGroup } from "./processIdentity.ts";
import { askEvery } from "./pace.ts";
import { makeMachineWatch, readGpus, readMachine } from "./readMachine.ts";
import { afterSetup, passedVariables, setupFile, setupText, wrapperText } from "./wrapper.ts";
import { ownersAlone, readDisk, readExitCode } from "./files.ts";
import type { Processor } from "#server/domain/fleet/nodes/machine.ts";
import { type ProgramSite, type Resolve, resolveProgram, withNames } from "./resolveProgram.ts";

export type LocalOptions = {
  node?: string;
  /** Parent of the attempts' folders RUN/ATTEMPT. */
  runsFolder: string;
  /** Command line of the trainer, to which the paths of the spec and the output folder are appended. */
  command: readonly string[];
  environment?: Readonly<Record<string, string>>;
  /** Returns environment variables that restrict a trainer to the devices reserved for it. */
  environmentOf?: (devices: readonly string[]) => Readonly<Record<string, string>>;
  /** Adapter for other trainers, and the function that finds their programs. Absent: their runs are rejected. */
  external?: { command: readonly string[]; resolve: Resolve };
  site?: Pick<ProgramSite, "node" | "readSecrets">;
  /** Lines of bash that are run before each job. */
  setup?: readonly string[];
  /** Time in ms without an observation after which a job is asked to save and exit. */
  leaseMs?: number;
  /** True if the launcher asks the trainer to describe this machine. */
  looks?: boolean;
  /** Time in ms a job may take to stop on request, after which it is killed. */
  killAfterMs?: number;
};

/** Runs jobs as detached process groups on this machine: they survive the process that starts them. */
export function makeLocalLauncher(options: LocalOptions): Launcher {
  const { node = "local", runsFolder, killAfterMs = 10_000, leaseMs } = options;
  const watchGpus = askEvery(10_000, readGpus);
  const { command, environment } = options;
  const look = makeMachineWatch(() =>
    readMachine({ command, environment: { ...trainerEnvironment(), ...environment } }),
  );
  const folderOf = (jobId: string) => folderIn(runsFolder, jobId);
  return {
    node,
    folderOf,
    launch: (job) => launch(job, options),
    observe: async (jobs) => {
      const states = jobs.map(async ({ jobId }) => {
        const state = await observeFolder(folderOf(jobId));
        // A full disk may prevent the renewal. The job is observed nevertheless, and a later poll renews the lease.
        const isDue = leaseMs !== undefined && state.state === "running";
        if (isDue) await renewLease(folderOf(jobId), leaseMs).catch(() => undefined);
        return [jobId, state] as const;
      });
      const gpus = watchGpus();
      const machine = options.looks === true ? look() : undefined;
      const disk = await readDisk(runsFolder);
      const contact = {
        isMade: true as const,
        processor: readProcessor(),
        ...(gpus !== undefined && { gpus }),
        ...(disk && { disk }),
        ...(machine && { machines: [machine] }),
      };
      return { states: new Map(await Promise.all(states)), contact };
    },
    cancel: (jobId) => cancel(folderOf(jobId), killAfterMs),
    readLog: (jobId, fromByte) => readChunk(join(folderOf(jobId), "events.jsonl"), fromByte),
  };
}

async function launch(job: Job, options: LocalOptions): Promise<void> {
  const { jobId, spec, devices } = job;
  const { runsFolder, environment, environmentOf, leaseMs, setup = [] } = options;
  const folder = folderIn(runsFolder, jobId);
  if (spec.trainer && !options.external)
    throw new AppError("unavailable", `trainer ${spec.trainer.name}: this launcher has no adapter for other trainers`);
  await mkdir(folder, { recursive: true });
  if ((await readIdentity(folder)) !== undefined) return;
  const specFile = join(folder, "spec.json");
  const wrapper = join(folder, "wrapper.sh");
  await writeWhole(specFile, `${JSON.stringify(spec, null, 2)}\n`);
  await writeWhole(wrapper, wrapperText);
  const external = spec.trainer && options.external;
  const { runId, attempt } = parseJobId(jobId);
  const folders = { folder, runFolder: dirname(folder), run: runId, attempt, home: homedir() };
  const program = resolveProgram({ ...options.site, resolve: external?.resolve }, job, folders);
  if (external) await writeWhole(join(folder, "external.json"), JSON.stringify(program.external), ownersAlone);
  const command = external?.command ?? options.command;
  if (setup.length > 0) await writeWhole(join(folder, setupFile.name), setupText(setup), setupFile);
  if (leaseMs !== undefined) await renewLease(folder, leaseMs);
  // For other trainers, the adapter finds the checkpoints.
  const origins = external ? [] : await beginFrom(spec, folder);
  const earlier = earlierJobs(jobId).flatMap((other) => ["--resume-from", folderIn(runsFolder, other)]);
  const resumption = [...earlier, ...origins];
  const evaluating = await writeRequest(job, folder);
  const whole = afterSetup(folder, setup, [...command, ...(evaluating ?? [specFile, folder, ...resumption])]);
  await start([wrapper, folder, ...whole], {
    folder,
    environment: {
      ...trainerEnvironment(),
      ...environment,
      ...environmentOf?.(devices),
      ...withNames(program.secrets),
    },
  });
  if (leaseMs === undefined) return;
  const guard = join(folder, "guard.sh");
  await writeWhole(guard, guardText);
  const everySeconds = Math.max(1, Math.min(60, Math.floor(leaseMs / 4000)));
  await start([guard, folder, String(everySeconds)], { folder, environment: trainerEnvironment() });
}

/** Returns arguments with the attempt folders of this run's origin, of the origin's origin, and so on. */
async function beginFrom(spec: RunSpec, folder: string): Promise<string[]> {
  const attempts = await Promise.all(lineOf(spec).map((run) => listAttempts(run, folder)));
  return attempts.flat().flatMap((attempt) => ["--begin-from", attempt]);
}

/** Returns the folders of a run's attempts, newest first. `folder` is an attempt's folder in the same runs folder. */
async function listAttempts(runId: string, folder: string): Promise<string[]> {
  const run = join(dirname(dirname(folder)), runId);
  const names = await readdir(run).catch(() => []);
  const numbers = names.filter((name) => /^\d+$/.test(name)).map(Number);
  return numbers.toSorted((one, other) => other - one).map((number) => join(run, String(number)));
}

/** Writes the request of a job that evaluates a stored policy. Returns the trainer's arguments for this request. */
export async function writeRequest({ spec, evaluates }: Job, folder: string): Promise<string[] | undefined> {
  if (evaluates === undefined) return undefined;
  const { runId, ...evaluation } = evaluates;
  const path = join(folder, "request.json");
  await writeWhole(path, JSON.stringify({ spec, ...evaluation, folders: await listAttempts(runId, folder) }));
  return [evaluateOption, path];
}

// Starts the job in a session of its own without our file descriptors, so that it survives us and our SIGHUPs.
async function start(
  script: readonly string[],
  { folder, environment }: { folder: string; environment: NodeJS.ProcessEnv },
) {
  const child = spawn("/bin/sh", script, { cwd: folder, detached: true, stdio: "ignore", env: environment });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", () => resolve());
    child.once("error", reject);
  });
  child.unref();
}

export function trainerEnvironment(): NodeJS.ProcessEnv {
  return { ...passedVariables(process.env), NODE_ENV: "production" };
}

async function observeFolder(folder: string): Promise<JobState> {
  try {
    const identity = await readIdentity(folder);
    if (identity === undefined) return { state: "submitted" };
    if (identity.pid === 0) return { state: "exited", exitCode: 143 };
    // The process is checked before the exit file, because a process that has ended already wrote that file.
    const life = await observeProcess(identity);
    const exitCode = await readExitCode(folder);
    if (exitCode !== undefined) return { state: "exited", exitCode };
    if (life.is === "unknown") return { state: "unknown", why: life.why };
    if (life.is === "alive") return { state: "running", pid: identity.pid };
    // Some file systems show a renamed file late, so the exit file is read again after 100 ms.
    await sleep(100);
    const late = await readExitCode(folder);
    return late === undefined ? { state: "lost", evidence: life.evidence } : { state: "exited", exitCode: late };
  } catch (error) {
    return { state: "unknown", why: error instanceof Error ? error.message : String(error) };
  }
}

const notStarted: ProcessIdentity = { pid: 0, startTime: "", bootId: "" };

// The first call asks a job to stop; a call at least `killAfterMs` later kills it. The time of the first call is the
// time of a file in the job's folder, so a restarted orchestrator knows it.
async function cancel(folder: string, killAfterMs: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  const identity = (await readIdentity(folder)) ?? (await preventStart(folder));
  if (identity.pid === 0 || (await readExitCode(folder)) !== undefined) return;
  if ((await observeProcess(identity)).is !== "alive") return;
  const note = join(folder, "cancel");
  const asked = await stat(note).catch(ignoreMissing);
  if (asked === undefined) {
    signalGroup(identity.pid, "SIGTERM");
    await writeFile(note, "");
    return;
  }
  if (Date.now() - asked.mtimeMs >= killAfterMs) signalGroup(identity.pid, "SIGKILL");
}

// Claims the process file before the job's wrapper script can. A wrapper that finds the claim exits.
async function preventStart(folder: string): Promise<ProcessIdentity> {
  const claim = join(folder, `pid.${randomUUID()}`);
  await writeFile(claim, JSON.stringify(notStarted));
  await link(claim, join(folder, "pid.json")).catch(() => undefined);
  await rm(claim);
  return (await readIdentity(folder)) ?? notStarted;
}

async function readIdentity(folder: string): Promise<ProcessIdentity | undefined> {
  const text = await readFile(join(folder, "pid.json"), "utf8").catch(ignoreMissing);
  return text === undefined ? undefined : ProcessIdentity.parse(JSON.parse(text));
}

/** Reads bytes of a file from an offset on, at most `maxLogBytes`; empty if the file does not exist. */
export async function readChunk(path: string, fromByte: number): Promise<Uint8Array> {
  const file = await open(path).catch(ignoreMissing);
  if (file === undefined) return new Uint8Array();
  try {
    // The buffer has only the available bytes, because callers may hold new bytes of many logs in memory.
    const { size } = await file.stat();
    const length = Math.max(0, Math.min(maxLogBytes, size - fromByte));
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, fromByte);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function readProcessor(): Processor {
  const [load = 0] = loadavg();
  const memoryTotalBytes = totalmem();
  const memoryUsedBytes = memoryTotalBytes - freemem();
  return { numCores: cpus().length, load: platform() === "win32" ? null : load, memoryUsedBytes, memoryTotalBytes };
}

/** Extends a job's lease by `leaseMs`. Its file contains the end in s, rewritten after a twentieth of the lease. */
async function renewLease(folder: string, leaseMs: number): Promise<void> {
  const path = join(folder, "lease");
  const written = await stat(path).catch(ignoreMissing);
  if (written !== undefined && Date.now() - written.mtimeMs < leaseMs / 20) return;
  await writeWhole(path, `${Math.ceil((Date.now() + leaseMs) / 1000)}\n`);
}

/**
 * Script that ends a job which is no longer observed: `sh guard.sh FOLDER SECONDS`. It checks the job's
 * lease every SECONDS. After the lease has expired, it asks the job's process group to save and exit, and kills the
 * group two minutes later. The script runs outside that group, so that it does not keep the group alive.
 */
const guardText = `#!/bin/sh
# Ends a job that nobody looks after any more: sh guard.sh FOLDER SECONDS
set -uf
folder=$1
every=$2
LC_ALL=C
export LC_ALL

field() {
  sed -n "s/.*\\"$1\\":\\"\\{0,1\\}\\([^\\",}]*\\).*/\\1/p" "$folder/pid.json"
}

# The group is ours while its leader is the one that started; when the leader is gone its number is not given away as
# long as the group has members.
is_ours() {
  kill -0 "-$pid" 2>/dev/null || return 1
  [ -r "/proc/$pid/stat" ] || return 0
  stat=$(cat "/proc/$pid/stat" 2>/dev/null) || return 0
  set -- \${stat##*) }
  shift 19
  [ "$1" = "$(field startTime)" ]
}

while sleep "$every"; do
  [ -e "$folder/exit" ] && exit 0
  [ -r "$folder/pid.json" ] || exit 0
  pid=$(field pid)
  [ "\${pid:-0}" -gt 1 ] && is_ours || exit 0
  until=$(cat "$folder/lease" 2>/dev/null)
  [ "$(date +%s)" -lt "\${until:-0}" ] && continue
  printf 'lease ran out: nobody looked after this job\\n' >>"$folder/stderr.log"
  kill -TERM "-$pid"
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
    sleep 10
    is_ours || exit 0
  done
  kill -KILL "-$pid"
  exit 0
done
`;
