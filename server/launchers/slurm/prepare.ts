import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { SlurmNode } from "#server/domain/nodes/node.ts";
import { packagesFolder } from "#server/packages/fetchPackages.ts";
import { packagesOf } from "#trainer/spec/environment.ts";
import { type Job, parseJobId } from "../launcher.ts";
import { resolveProgram } from "../resolveProgram.ts";
import { writeWhole } from "../writeWhole.ts";
import { sbatchText, type SlurmRequest } from "./sbatchText.ts";
import { linkHere, shareAdapter, shareEarlier, sharePackages, shareTrainer } from "./share.ts";
import type { Cluster } from "./cluster.ts";
import * as receipt from "./receipt.ts";

/** A job ready for submission, with its batch script in its folder. */
export type Ready = { jobId: string; folder: string; script: string; request: SlurmRequest };

/** Writes all files of the job into its folder. Undefined if the folder cannot be written. */
export async function prepare(cluster: Cluster, job: Job): Promise<Ready | undefined> {
  const { node, home, bundle } = cluster;
  const { jobId } = job;
  const { runId, attempt } = parseJobId(jobId);
  const folder = cluster.folderOf(jobId);
  await mkdir(folder, { recursive: true });
  const here = (number: number): string => join(home, "runs", runId, String(number));
  await linkHere(here(attempt), folder);
  const numbers = Array.from({ length: attempt - 1 }, (_, i) => attempt - 1 - i);
  const earlier = await shareEarlier(
    numbers.map((number) => ({ here: here(number), shared: cluster.folderOf(`${runId}.${number}`) })),
  );
  const isExternal = job.spec.trainer !== undefined;
  const program = isExternal ? await shareAdapter(node.folder, bundle) : await shareTrainer(node.folder, bundle);
  if (isExternal) {
    const folders = { folder, runFolder: dirname(folder), run: runId, attempt, home: homedir() };
    await writeWhole(join(folder, "external.json"), JSON.stringify(resolveProgram(cluster.resolve, job.spec, folders)));
  }
  const specFile = join(folder, "spec.json");
  await writeWhole(specFile, `${JSON.stringify(job.spec, null, 2)}\n`);
  const command = [node.node, program, specFile, folder, ...earlier.flatMap((other) => ["--resume-from", other])];
  const packages = isExternal ? [] : packagesOf(job.spec.environment);
  const environment = {
    OMP_NUM_THREADS: "1",
    ARLARENA_LOOKS: "1",
    ARLARENA_TRAINER_HASH: basename(dirname(bundle.trainer)),
    ARLARENA_GRAPH_CACHE: join(node.folder, "graphs"),
    ...(packages.length > 0 && {
      ARLARENA_PYTHON_PACKAGES: await sharePackages(node.folder, { from: packagesFolder(home), packages }),
    }),
    ...node.environment,
  };
  const script = join(folder, "job.sbatch");
  // Our own trainer uses one machine.
  const machines = isExternal && node.nodes > 1 ? node.nodes : undefined;
  const ray = machines === undefined ? undefined : { machines, ...node.ray };
  const request = { ...requestOf(node, job.avoidHosts ?? []), ...(machines !== undefined && { machines }) };
  try {
    await writeWhole(
      script,
      sbatchText({ jobId, folder, command, environment, isGroup: isExternal, ...(ray && { ray }) }, request),
    );
    return { jobId, folder, script, request };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    await receipt.noteAnswer(folder, { refused: error.message });
    return undefined;
  }
}

function requestOf(node: SlurmNode, exclude: readonly string[]): SlurmRequest {
  const { partition, account, qos, time, cpusPerTask, memory, gres, constraint, warnSeconds, requeue } = node;
  const resources = { partition, account, qos, time, cpusPerTask, memory, gres, constraint };
  const given = Object.fromEntries(Object.entries(resources).filter(([, value]) => value !== undefined));
  return { ...given, exclude, warnSeconds, requeue };
}
