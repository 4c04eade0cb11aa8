import { writeWhole } from "#server/config/writeWhole.ts";
import { tryJson } from "#trainer/spec/tryJson.ts";
import { mkdir, open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { packagesOfJob } from "#trainer/spec/elsewhere.ts";
import { specHash } from "#trainer/spec/run.ts";
import { exists } from "../files.ts";
import { earlierJobs, type Job, parseJobId } from "../launcher.ts";
import { splitSecrets } from "#server/domain/fleet/secrets.ts";
import { resolveProgram, withNames } from "../resolveProgram.ts";
import type { Cluster } from "./api.ts";
import { quoteArgument } from "#packages/base";
import { folderNameOf, jobPackage, type Package, toolsPackage, wheelsPackage } from "./packages.ts";
import { RunEvent } from "#trainer/spec/event.ts";
import { ignoreMissing } from "#server/config/fileErrors.ts";
import { type CourierJob, readReceipt, writeReceipt } from "./protocol.ts";
import { seal, sealVariable } from "./seal.ts";

/**
 * Submits a job to Ray under an id that the studio chooses. If Ray's response is lost, Ray reports at the next try that
 * the id exists. The folder records the request before it is sent to Ray.
 */
export async function submit(cluster: Cluster, job: Job): Promise<void> {
  const { api } = cluster;
  const folder = cluster.folderOf(job.jobId);
  const receipt = await readReceipt(folder);
  if (receipt.is !== "new" && receipt.is !== "asked") return;
  await mkdir(folder, { recursive: true });
  await writeWhole(join(folder, "spec.json"), `${JSON.stringify(job.spec, null, 2)}\n`);
  const packages = await preparePackages(cluster, job);
  await Promise.all(packages.all.map((one) => uploadOnce(cluster, one)));
  const session = await api.readSession();
  await writeReceipt(folder, { is: "asked" });
  const answer = await api.submit(requestOf(cluster, job, packages));
  if (answer.is === "exists") return await adopt(cluster, job, session);
  await writeReceipt(folder, answer.is === "accepted" ? { is: "accepted", session } : answer);
}

function uploadOnce({ api, memory: { uploads } }: Cluster, { name, content }: Package): Promise<void> {
  const underWay = uploads.get(name) ?? api.upload(name, content).finally(() => uploads.delete(name));
  uploads.set(name, underWay);
  return underWay;
}

type Packages = { all: readonly Package[]; entrypoint: string; key: string | undefined; gpus: number | undefined };

async function preparePackages(cluster: Cluster, wantedJob: Job): Promise<Packages> {
  const { jobId, spec } = wantedJob;
  const { node, home, bundle } = cluster;
  const { runId, attempt } = parseJobId(jobId);
  const runFolder = `${node.folder}/runs/${runId}`;
  const folders = { folder: `${runFolder}/${attempt}`, runFolder, run: runId, attempt, home: node.home };
  const earlier = await newestCheckpoints(cluster, jobId);
  const { external, secrets } = resolveProgram(cluster, wantedJob, folders);
  const { plain, secret } = splitSecrets(node.environment);
  const { sealed, key } = seal(withNames({ ...secret, ...secrets }));
  const job: CourierJob = {
    jobId,
    folder: node.folder,
    spec,
    external,
    environment: { ARLARENA_TRAINER_HASH: basename(dirname(bundle.trainer)), ...plain },
    setup: node.setup,
    sealed,
    earlier: earlier?.number ?? null,
    known: await knownOf(cluster, jobId),
  };
  const tools = toolsPackage(cluster, spec.trainer === undefined ? "trainer" : "adapter");
  const own = await jobPackage(job, earlier?.folder);
  const wanted = spec.trainer === undefined ? packagesOfJob(wantedJob) : [];
  const wheels = wanted.length === 0 ? undefined : wheelsPackage(home, wanted);
  const names = { tools: folderNameOf(tools), job: folderNameOf(own), wheels: wheels && folderNameOf(wheels) };
  const all = [tools, own, ...(wheels ? [wheels] : [])];
  const gpus = external && "gpus" in external ? external.gpus : undefined;
  return { all, entrypoint: entrypointText(names, node.node), key, gpus };
}

async function knownOf({ folderOf }: Cluster, jobId: string): Promise<number> {
  return Math.max(0, ...(await Promise.all(earlierJobs(jobId).map((earlier) => knownIteration(folderOf(earlier))))));
}

async function newestCheckpoints({ folderOf }: Cluster, jobId: string) {
  for (const earlier of earlierJobs(jobId)) {
    const folder = folderOf(earlier);
    if (await exists(join(folder, "checkpoints"))) return { number: parseJobId(earlier).attempt, folder };
  }
  return undefined;
}

/** Returns the request body of a submission, `JobSubmitRequest` of Ray's openapi.yml. */
function requestOf({ node }: Cluster, { jobId, spec }: Job, { all, entrypoint, key, gpus }: Packages): object {
  const { numCpus, numGpus, memoryBytes, resources } = node.entrypoint;
  const { env_vars: variables, py_modules: modules = [], ...runtimeEnv } = node.runtimeEnv;
  return {
    entrypoint,
    submission_id: jobId,
    metadata: { arlarena_spec: specHash(spec) },
    runtime_env: {
      ...runtimeEnv,
      env_vars: {
        RAY_JOB_STOP_WAIT_TIME_S: String(node.stopSeconds),
        ...variables,
        ...(key && { [sealVariable]: key }),
      },
      py_modules: [...modules, ...all.map(({ name }) => `gcs://${name}`)],
    },
    entrypoint_num_cpus: numCpus,
    // A program that requests GPUs from Ray itself needs no GPU for its entry point.
    entrypoint_num_gpus: numGpus > 0 ? (gpus ?? numGpus) : numGpus,
    ...(memoryBytes !== undefined && { entrypoint_memory: memoryBytes }),
    ...(Object.keys(resources).length > 0 && { entrypoint_resources: resources }),
  };
}

// Records a job that Ray already has under our id as accepted, or refused if its specification differs.
async function adopt({ api, folderOf }: Cluster, { jobId, spec }: Job, session: string): Promise<void> {
  const there = await api.readJob(jobId);
  if (there === undefined) throw new Error(`Ray has a job ${jobId} and does not show it`);
  const isOurs = there.metadata?.["arlarena_spec"] === specHash(spec);
  const why = `the cluster has a job ${jobId} that is not of this run`;
  await writeReceipt(folderOf(jobId), isOurs ? { is: "accepted", session } : { is: "refused", why });
}

type Unpacked = { tools: string; job: string; wheels: string | undefined };

/**
 * Returns a Ray job's shell command. Only `PYTHONPATH` tells where packages are, and archived files are not executable.
 * `exec` lets signals reach the courier and Ray see the courier's exit code.
 */
function entrypointText({ tools, job, wheels }: Unpacked, node: string | undefined): string {
  const names = { tools, job, ...(wheels !== undefined && { wheels }) };
  const cases = Object.entries(names).map(([variable, name]) => `*/${name}) ${variable}=$each ;;`);
  const program = node === undefined ? '"$tools/bin/node"' : quoteArgument(node);
  return [
    "set -f; IFS=:",
    `for each in $PYTHONPATH; do case $each in ${cases.join(" ")} esac; done`,
    "unset IFS",
    ...(node === undefined ? [`chmod +x ${program}`] : []),
    `exec ${program} "$tools/courier.mjs" "$tools" "$job"${wheels === undefined ? "" : ' "$wheels"'}`,
  ].join("; ");
}

const tailBytes = 1 << 20;

/** Returns the last iteration in the local copy of an attempt's log; 0 if the log contains no iteration. */
export async function knownIteration(folder: string): Promise<number> {
  const file = await open(join(folder, "events.jsonl")).catch(ignoreMissing);
  if (file === undefined) return 0;
  try {
    const { size } = await file.stat();
    const length = Math.min(size, tailBytes);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const lines = buffer.toString("utf8").split("\n").toReversed();
    return lines.map(iterationOf).find((iteration) => iteration !== undefined) ?? 0;
  } finally {
    await file.close();
  }
}

// Returns the iteration in a line of an event log; undefined for other events and for lines that are cut off.
function iterationOf(line: string): number | undefined {
  const event = RunEvent.safeParse(tryJson(line));
  return event.success && event.data.type === "metrics" ? event.data.iteration : undefined;
}
