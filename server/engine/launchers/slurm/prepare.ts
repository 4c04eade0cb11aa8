import { writeWhole } from "#server/config/writeWhole.ts";
import { randomUUID } from "node:crypto";
import { cp, mkdir, readlink, rename, rm, symlink } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { SlurmNode } from "#server/domain/fleet/nodes/node.ts";
import { packagesFolder } from "#server/engine/wheels/fetchPackages.ts";
import { packagesOfJob } from "#trainer/spec/elsewhere.ts";
import { packagesKey, type PythonPackage, wheelsOf } from "#trainer/spec/environments/pythonPackages.ts";
import { earlierJobs, folderIn, type Job, parseJobId } from "../launcher.ts";
import type { AttemptPaths } from "#packages/trainers";
import { inContainer } from "#server/domain/fleet/nodes/container.ts";
import { splitSecrets } from "#server/domain/fleet/secrets.ts";
import { afterSetup, passedVariables, setupFile, setupText } from "../wrapper.ts";
import { resolveProgram, withNames } from "../resolveProgram.ts";
import { writeRequest } from "../local.ts";
import { exists, ownersAlone } from "../files.ts";
import { type Bundle, enginePaths, travels } from "../ssh/ship.ts";
import { exportLines, sbatchText, secretsFile, type SlurmRequest } from "./sbatchText.ts";
import type { Cluster } from "./cluster.ts";
import * as receipt from "./receipt.ts";

/** `shape`: the resource request as a key. Jobs with equal keys may be tasks of the same array. */
export type Ready = { jobId: string; folder: string; script: string; request: SlurmRequest; shape: string };

/** Writes a job's files. Undefined if no batch script can be made, which is recorded as a refusal. */
export async function prepare(cluster: Cluster, job: Job): Promise<Ready | undefined> {
  const { node, home, bundle } = cluster;
  const { runId, attempt } = parseJobId(job.jobId);
  const folder = cluster.folderOf(job.jobId);
  await mkdir(folder, { recursive: true });
  const here = (jobId: string): string => folderIn(join(home, "runs"), jobId);
  await linkHere(here(job.jobId), folder);
  const earlier = await shareEarlier(
    earlierJobs(job.jobId).map((jobId) => ({ here: here(jobId), shared: cluster.folderOf(jobId) })),
  );
  const isExternal = job.spec.trainer !== undefined;
  const program = isExternal ? await shareAdapter(node.folder, bundle) : await shareTrainer(node.folder, bundle);
  const folders = { folder, runFolder: dirname(folder), run: runId, attempt, home: homedir() };
  const { external, secrets } = resolveProgram(cluster, job, folders);
  if (external) await writeWhole(join(folder, "external.json"), JSON.stringify(external), ownersAlone);
  const specFile = join(folder, "spec.json");
  await writeWhole(specFile, `${JSON.stringify(job.spec, null, 2)}\n`);
  const training = [specFile, folder, ...earlier.flatMap((other) => ["--resume-from", other])];
  const command = [node.node, program, ...((await writeRequest(job, folder)) ?? training)];
  const packages = isExternal ? [] : packagesOfJob(job);
  const { plain, secret } = splitSecrets(node.environment);
  const environment = {
    OMP_NUM_THREADS: "1",
    ARLARENA_LOOKS: "1",
    ARLARENA_TRAINER_HASH: basename(dirname(bundle.trainer)),
    ARLARENA_GRAPH_CACHE: join(node.folder, "graphs"),
    ...(packages.length > 0 && {
      ARLARENA_PYTHON_PACKAGES: await sharePackages(node.folder, { from: packagesFolder(home), packages }),
    }),
    ...plain,
  };
  await writeBeside(folder, { setup: node.setup, hidden: { ...secret, ...secrets } });
  // The built-in trainer uses one machine.
  const machines = isExternal && node.nodes > 1 ? node.nodes : undefined;
  const ray = machines === undefined ? undefined : { ...node.ray, machines, program: rayCommand(node, folders) };
  const gpus = external && "gpus" in external ? external.gpus : undefined;
  const request = { ...requestOf(node, job.avoidHosts ?? [], gpus), ...(machines !== undefined && { machines }) };
  const script = join(folder, "job.sbatch");
  const whole = afterSetup(folder, node.setup, command);
  const described = { jobId: job.jobId, folder, command: whole, environment, isGroup: isExternal, ...(ray && { ray }) };
  try {
    await writeWhole(script, sbatchText(described, request));
    return { jobId: job.jobId, folder, script, request, shape: JSON.stringify(request) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    await receipt.noteAnswer(folder, { refused: error.message });
    return undefined;
  }
}

type Beside = { setup: readonly string[]; hidden: Readonly<Record<string, string>> };

/** Writes files that the batch script reads. Slurm shows the script itself, so secrets are in a separate file. */
async function writeBeside(folder: string, { setup, hidden }: Beside): Promise<void> {
  const lines = exportLines(withNames({ ...splitSecrets(passedVariables(process.env)).secret, ...hidden }));
  if (lines.length > 0) await writeWhole(join(folder, secretsFile), `${lines.join("\n")}\n`, ownersAlone);
  if (setup.length > 0) await writeWhole(join(folder, setupFile.name), setupText(setup), setupFile);
}

function requestOf(node: SlurmNode, exclude: readonly string[], gpus: number | undefined): SlurmRequest {
  const { partition, account, qos, time, cpusPerTask, memory, constraint, warnSeconds, requeue, sbatch } = node;
  const gres = gpus === undefined ? node.gres : node.gres && withGpus(node.gres, gpus);
  const resources = { partition, account, qos, time, cpusPerTask, memory, gres, constraint };
  const given = Object.fromEntries(Object.entries(resources).filter(([, value]) => value !== undefined));
  return { ...given, exclude, warnSeconds, requeue, options: sbatch };
}

/** Sets the number of GPUs in a `gres` request: `gpu:a100:1` with 8 GPUs becomes `gpu:a100:8`. */
function withGpus(gres: string, gpus: number): string {
  return gres.replaceAll(/(^|,)(gpu(?::[A-Za-z][^:,]*)?)(?::\d+)?(?=,|$)/g, `$1$2:${gpus}`);
}

/** Returns the command that starts Ray, after the setup lines and in the image like the job's own command. */
function rayCommand({ setup, container, ray }: SlurmNode, { folder, runFolder }: AttemptPaths): string[] {
  const program = [ray.program];
  return afterSetup(folder, setup, container ? inContainer(container, program, { folder, own: [runFolder] }) : program);
}

/**
 * Copies the trainer and its inference engine to the shared file system, once per content, and returns its path. The
 * cluster's machines must have the operating system and processor type of this machine.
 */
async function shareTrainer(folder: string, bundle: Bundle): Promise<string> {
  const target = join(folder, "bundles", `slurm-${basename(dirname(bundle.trainer))}-${bundle.engineVersion}`);
  const trainer = join(target, "trainer.mjs");
  if (await exists(trainer)) return trainer;
  const draft = `${target}.${randomUUID()}`;
  for (const name of enginePaths({ os: process.platform, cpu: process.arch })) {
    const options = { recursive: true, dereference: true, filter: travels };
    await cp(join(bundle.nodeModules, name), join(draft, "node_modules", name), options);
  }
  for (const name of ["trainer.mjs", "programs.mjs"]) await cp(join(dirname(bundle.trainer), name), join(draft, name));
  await install(draft, target, trainer);
  return trainer;
}

/**
 * Renames a draft into place. If another process has installed the same content (`proof` exists), deletes the draft.
 */
async function install(draft: string, target: string, proof = target): Promise<void> {
  await rename(draft, target).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true });
    if (!(await exists(proof))) throw error;
  });
}

/** Copies wheels of Python packages to the shared file system, in a folder named after their content. */
export async function sharePackages(
  folder: string,
  { from, packages }: { from: string; packages: readonly PythonPackage[] },
): Promise<string> {
  const shared = join(folder, "python", packagesKey(packages));
  if (await exists(shared)) return shared;
  const draft = `${shared}.${randomUUID()}`;
  await mkdir(draft, { recursive: true });
  for (const { file } of wheelsOf(packages)) await cp(join(from, file), join(draft, file));
  await install(draft, shared);
  return shared;
}

/** Copies the adapter for other trainers to the shared file system, once per content. */
async function shareAdapter(folder: string, bundle: Bundle): Promise<string> {
  const tools = dirname(bundle.agent);
  const adapter = join(folder, "bundles", `adapter-${basename(tools)}.mjs`);
  if (await exists(adapter)) return adapter;
  const draft = `${adapter}.${randomUUID()}`;
  await mkdir(dirname(adapter), { recursive: true });
  await cp(join(tools, "adapter.mjs"), draft);
  await rename(draft, adapter);
  return adapter;
}

/** Returns earlier attempts' folders, newest first; checkpoints of other nodes are copied to the shared disk. */
async function shareEarlier(earlier: readonly { here: string; shared: string }[]): Promise<string[]> {
  const found: string[] = [];
  for (const { here, shared } of earlier) {
    const from = join(here, "checkpoints");
    if (!(await exists(shared)) && (await exists(from))) {
      const draft = `${shared}.${randomUUID()}`;
      await cp(from, join(draft, "checkpoints"), { recursive: true });
      await rename(draft, shared);
    }
    if (await exists(shared)) found.push(shared);
  }
  return found;
}

/** Links an attempt's folder into this machine's runs folder, so that attempts on other nodes can resume from it. */
async function linkHere(here: string, shared: string): Promise<void> {
  if (here === shared || (await readlink(here).catch(() => undefined)) === shared || (await exists(here))) return;
  await mkdir(dirname(here), { recursive: true });
  await symlink(shared, here).catch(() => undefined);
}
