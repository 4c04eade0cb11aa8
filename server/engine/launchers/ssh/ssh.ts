import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { DistributiveOmit } from "#packages/base";
import { isEnded, type JobState } from "#server/domain/fleet/job.ts";
import { packagesFolder } from "#server/engine/wheels/fetchPackages.ts";
import { packagesOfJob } from "#trainer/spec/elsewhere.ts";
import type { Machine } from "#trainer/spec/machine.ts";
import { isDiskFull } from "#trainer/spec/diskFull.ts";
import { isFullNow } from "#server/domain/fleet/nodes/machine.ts";
import type { SshNode } from "#server/domain/fleet/nodes/node.ts";
import { slotEnvironment } from "#server/domain/fleet/nodes/slots.ts";
import {
  earlierJobs,
  folderIn,
  type Job,
  type Launcher,
  parseJobId,
  type Observation,
  type Watched,
} from "../launcher.ts";
import { readChunk } from "../local.ts";
import { paced } from "../pace.ts";
import { makeMachineWatch } from "../readMachine.ts";
import { exists, readDisk } from "../files.ts";
import { type ProgramSite, resolveProgram, withNames } from "../resolveProgram.ts";
import { type Connection, connectTo, quote } from "./connection.ts";
import { isComplete, keepPiece, readHave } from "./mirror.ts";
import { AgentAnswer, type AgentRequest, answerMark, growingFiles, type PolledJob } from "./protocol.ts";
import { type Bundle, expectDone, install, type Installed, isSo, shell, shipPackages } from "./ship.ts";

export type SshOptions = Pick<ProgramSite, "resolve" | "readSecrets"> & {
  node: SshNode;
  /** State folder of the studio on this machine, with local copies of the ssh node's job files. */
  home: string;
  bundle: Bundle;
  /** Interval in ms at which the ssh node is polled while it has jobs. */
  pollMs?: number;
};

/**
 * Runs jobs on another machine over OpenSSH. One command per poll returns all states and the files' new bytes, which
 * are stored like those of a local job. If the node does not respond, all jobs are unknown and none is lost.
 */
export function makeSshLauncher(options: SshOptions): Launcher {
  const { node, pollMs = 1000 } = options;
  const site = makeSite(options);
  const { folderOf } = site;
  const look = makeMachineWatch(() => askForMachine(site, options));
  let numPolls = 0;
  return {
    node: node.name,
    folderOf,
    launch: (job) => launch(site, job, options),
    observe: paced(pollMs, async (jobs) => {
      const wantsGpus = numPolls % 10 === 0;
      numPolls += 1;
      const observation = await observe(site, rotate(jobs, numPolls), wantsGpus);
      const { contact, states } = observation;
      // The node's hardware is inspected only if the node has responded.
      const machine = contact.isMade ? look() : undefined;
      return contact.isMade && machine ? { states, contact: { ...contact, machines: [machine] } } : observation;
    }),
    cancel: async (jobId) => {
      await site.ask({ do: "cancel", jobId });
    },
    readLog: (jobId, fromByte) => readChunk(join(folderOf(jobId), "events.jsonl"), fromByte),
  };
}

type Site = {
  connection: Connection;
  runsFolder: string;
  folderOf: Launcher["folderOf"];
  /** Number of failed attempts to copy a job's remaining files, by job id. */
  tries: Map<string, number>;
  installed(): Promise<Installed>;
  ask(request: Asked, timeoutMs?: number): Promise<AgentAnswer>;
};
type Asked = DistributiveOmit<AgentRequest, "runsFolder" | "leaseMs">;

function makeSite({ node, home, bundle }: SshOptions): Site {
  const connection = connectTo(node, home);
  const runsFolder = `${node.folder}/runs`;
  const leaseMs = node.leaseHours * 3600_000;
  let installing: Promise<Installed> | undefined;
  const installed = () => {
    installing ??= install(connection, node, bundle).catch((error: unknown) => {
      installing = undefined;
      throw error;
    });
    return installing;
  };
  const ask = async (request: Asked, timeoutMs = 30_000) => {
    const { agent } = await installed();
    const input = JSON.stringify({ ...request, runsFolder, leaseMs });
    const result = await connection.run(shell(`exec ${quote(node.node)} ${quote(agent)}`), { input, timeoutMs });
    // A failed command suggests that the agent is missing or incomplete, so the next request installs it again.
    if (result.is === "done" && result.exitCode !== 0 && result.exitCode !== 255) installing = undefined;
    const output = expectDone(result, "the node's agent failed");
    const at = output.indexOf(answerMark);
    if (at === -1) throw new Error("the node's agent gave no answer");
    const answer = AgentAnswer.parse(JSON.parse(output.slice(at + answerMark.length)));
    if (answer.did === "fail") throw new Error(answer.why);
    return answer;
  };
  const folderOf = (jobId: string) => folderIn(join(home, "runs"), jobId);
  return { connection, runsFolder, folderOf, tries: new Map(), installed, ask };
}

function environmentOf({ node, bundle }: SshOptions): Record<string, string> {
  return {
    ARLARENA_TRAINER_HASH: basename(dirname(bundle.trainer)),
    ARLARENA_GRAPH_CACHE: `${node.folder}/graphs`,
    ...node.environment,
  };
}

// Time limit in ms for inspecting a node's hardware. The trainer needs less, and the agent's own timeout is shorter.
const lookingMs = 120_000;

async function askForMachine(site: Site, options: SshOptions): Promise<Machine> {
  const { trainer } = await site.installed();
  const command = [options.node.node, trainer];
  const answer = await site.ask({ do: "look", command, environment: environmentOf(options) }, lookingMs);
  if (answer.did !== "look") throw new Error("the node's agent gave an unexpected answer");
  return answer.machine;
}

async function launch(site: Site, job: Job, options: SshOptions): Promise<void> {
  const { node } = options;
  const { jobId, spec, devices, evaluates } = job;
  const { trainer, adapter, home } = await site.installed();
  await mkdir(site.folderOf(jobId), { recursive: true });
  await writeFile(join(site.folderOf(jobId), "spec.json"), `${JSON.stringify(spec, null, 2)}\n`);
  await bringCheckpoints(site, jobId);
  const packages = spec.trainer === undefined ? packagesOfJob(job) : [];
  const from = packagesFolder(options.home);
  const settings = {
    ...(packages.length > 0 && {
      ARLARENA_PYTHON_PACKAGES: await shipPackages(site.connection, node, { from, packages }),
    }),
    ...environmentOf(options),
  };
  const { runId, attempt } = parseJobId(jobId);
  const runFolder = `${site.runsFolder}/${runId}`;
  const folders = { folder: `${runFolder}/${attempt}`, runFolder, run: runId, attempt, home };
  const program = resolveProgram(options, { spec, devices }, folders);
  await site.ask({
    do: "launch",
    jobId,
    spec,
    evaluates,
    command: [node.node, trainer],
    environment: { ...settings, ...slotEnvironment(node.slots, devices), ...withNames(program.secrets) },
    setup: node.setup,
    external: program.external && { command: [node.node, adapter], file: program.external },
  });
}

const fetchedMark = ".fetched";

// Copies the previous attempt's files except its logs to the node if they are missing there, for its checkpoints.
async function bringCheckpoints(site: Site, jobId: string): Promise<void> {
  const [earlier] = earlierJobs(jobId);
  if (earlier === undefined) return;
  const before = site.folderOf(earlier);
  const there = folderIn(site.runsFolder, earlier);
  if ((await isSo(site.connection, `-d ${quote(there)}`)) || !(await exists(before))) return;
  const script = `umask 077; mkdir -p ${quote(`${there}.draft`)} && tar -xzf - -C ${quote(`${there}.draft`)} && mv ${quote(`${there}.draft`)} ${quote(there)}`;
  const argv = ["tar", "-czf", "-", ...growingFiles.map((name) => `--exclude=./${name}`), "-C", before, "."] as const;
  expectDone(
    await site.connection.run(shell(script), { input: { argv }, timeoutMs: 120_000 }),
    "checkpoints cannot be copied",
  );
}

const maxPollBytes = 8 << 20;
const maxRounds = 32;

async function observe(site: Site, jobs: readonly Watched[], wantsGpus: boolean): Promise<Observation> {
  const states = new Map<string, JobState>();
  let told: Partial<Extract<AgentAnswer, { did: "poll" }>> = {};
  try {
    let open = jobs.map(({ jobId }) => jobId);
    for (let i = 0; i === 0 || (i < maxRounds && open.length > 0); i++) {
      const asked = await Promise.all(
        open.map(async (jobId) => ({ jobId, have: await readHave(site.folderOf(jobId)) })),
      );
      const answer = await site.ask({
        do: "poll",
        jobs: asked,
        maxBytes: maxPollBytes,
        wantsGpus: wantsGpus && i === 0,
      });
      if (answer.did !== "poll") throw new Error("the node's agent gave an unexpected answer");
      told = { gpus: told.gpus, ...answer };
      open = [];
      for (const job of answer.jobs) {
        if (await bring(site, job)) states.set(job.jobId, job.state);
        // The new bytes of this job are not all copied yet, so it is asked for again and its state is not reported.
        else open.push(job.jobId);
      }
    }
    const { gpus, disk, processor } = told;
    const contact = {
      isMade: true as const,
      ...(gpus !== undefined && { gpus }),
      ...(disk && { disk }),
      ...(processor && { processor }),
    };
    return { states, contact };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const why = isDiskFull(error) ? `disk full here: what the node logged waits there (${message})` : message;
    return {
      states: new Map(jobs.map(({ jobId }) => [jobId, { state: "unknown", why }])),
      contact: { isMade: false, why },
    };
  }
}

/** Stores the new bytes of a job's files. True if the job's state may be reported. */
async function bring(site: Site, { jobId, state, pieces }: PolledJob): Promise<boolean> {
  const folder = site.folderOf(jobId);
  for (const piece of pieces) await keepPiece(folder, piece);
  if (!isEnded(state)) return true;
  if (!(await isComplete(folder, pieces))) return false;
  return await tryToFetchRest(site, jobId, folder);
}

const maxTries = 3;

// Copies an ended job's other files; true once done or given up. Files that cannot be copied stay, with a remark.
async function tryToFetchRest(site: Site, jobId: string, folder: string): Promise<boolean> {
  const tries = (site.tries.get(jobId) ?? 0) + 1;
  site.tries.set(jobId, tries);
  try {
    await fetchRest(site, jobId, folder);
  } catch (error) {
    // While this machine's disk is full, failed copies are not counted, so that no checkpoint is left behind.
    if (await isFullHere(folder)) {
      site.tries.delete(jobId);
      return false;
    }
    if (tries < maxTries) return false;
    await writeFile(join(folder, fetchedMark), `${error instanceof Error ? error.message : String(error)}\n`);
  }
  site.tries.delete(jobId);
  return true;
}

async function isFullHere(folder: string): Promise<boolean> {
  const disk = await readDisk(folder);
  return disk !== undefined && isFullNow(disk, true);
}

const maxFetchedBytes = 64 << 20;

// Copies an ended job's other files (checkpoints, policy) below a size limit, once; larger ones stay on the node.
async function fetchRest(site: Site, jobId: string, folder: string): Promise<void> {
  if (await exists(join(folder, fetchedMark))) return;
  const there = folderIn(site.runsFolder, jobId);
  const left = [...growingFiles, "pid.json", "lease", "wrapper.sh", "guard.sh"];
  const named = left.map((name) => `! -path ${quote(`./${name}`)}`).join(" ");
  // `find` counts sizes in blocks of 512 bytes.
  const script = `cd ${quote(there)} && find . -type f -size -${maxFetchedBytes / 512} ${named} | tar -czf - -T -`;
  const result = await site.connection.run(shell(script), { timeoutMs: 300_000 });
  expectDone(result, `the files of ${jobId} cannot be fetched`);
  if (result.is === "late") return;
  await mkdir(folder, { recursive: true });
  await unpackHere(result.stdout, folder);
  await writeFile(join(folder, fetchedMark), "");
}

// Unpacks an archive from an ssh node without its owners. tar rejects names that lead out of the folder.
async function unpackHere(archive: Buffer, folder: string): Promise<void> {
  const child = spawn("tar", ["-xzf", "-", "--no-same-owner", "-C", folder], { stdio: ["pipe", "ignore", "ignore"] });
  child.stdin.on("error", () => undefined).end(archive);
  const [exitCode]: unknown[] = await once(child, "close");
  if (exitCode !== 0) throw new Error(`files from the node cannot be unpacked into ${folder}`);
}

// Rotates a list by `by` places. Each poll begins with another job, because the first jobs use up its byte limit.
function rotate<Item>(items: readonly Item[], by: number): Item[] {
  const at = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}
