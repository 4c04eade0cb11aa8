import { dirname, join } from "node:path";
import type { ReadSecrets } from "#server/config/secrets.ts";
import type { AttemptPaths, ExternalFile, ExternalJob } from "#packages/trainers";
import { inContainer } from "#server/domain/fleet/nodes/container.ts";
import type { Node } from "#server/domain/fleet/nodes/node.ts";
import { splitSecrets } from "#server/domain/fleet/secrets.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import type { Job } from "./launcher.ts";

/**
 * Resolves another trainer's program from a RunSpec and fills in the attempt's paths; throws if there is no such
 * program.
 */
export type Resolve = (spec: RunSpec, paths: AttemptPaths) => ExternalJob;

export type ProgramSite = {
  resolve?: Resolve | undefined;
  readSecrets?: ReadSecrets | undefined;
  /** Node of the attempt; absent for the agent on an ssh node, which receives a resolved program. */
  node?: Node | undefined;
};

/** Program for the adapter (null: the built-in trainer), and secret variables that are never written to a file. */
export type Program = { external: ExternalFile | null; secrets: Readonly<Record<string, string>> };

/**
 * Resolves an attempt's program on a node: in the node's image, with the secrets named by node, template and plan. If a
 * program cannot be resolved, the run fails with an explanation in its log.
 */
export function resolveProgram(
  { resolve, readSecrets = refuseSecrets, node }: ProgramSite,
  { spec, devices }: Pick<Job, "spec" | "devices">,
  paths: AttemptPaths,
): Program {
  const named = node?.secrets ?? [];
  if (spec.trainer === undefined) return { external: null, secrets: knownOf(readSecrets, named) };
  try {
    if (resolve === undefined) throw new Error("this studio knows no other trainers");
    const { secrets = [], ...job } = resolve(spec, paths);
    checkLease(job, devices, node);
    const { plain, secret } = splitSecrets(job.environment);
    const values = { ...secret, ...readSecrets([...new Set([...named, ...secrets])]) };
    return { external: contain({ ...job, environment: plain }, paths, node), secrets: values };
  } catch (error) {
    return { external: { problem: error instanceof Error ? error.message : String(error) }, secrets: {} };
  }
}

const refuseSecrets: ReadSecrets = (names) => {
  if (names.length > 0) throw new Error(`this studio knows no secrets, and ${names.join(", ")} is named`);
  return {};
};

/** The built-in trainer needs no secret: an unknown name does not keep its runs from training. */
function knownOf(readSecrets: ReadSecrets, names: readonly string[]): Record<string, string> {
  return Object.assign(
    {},
    ...names.map((name) => {
      try {
        return readSecrets([name]);
      } catch {
        return {};
      }
    }),
  );
}

/** The GPU count of a template may have changed after a sweep reserved slots. */
function checkLease({ name, gpus }: ExternalJob, devices: readonly string[], node: Node | undefined): void {
  const numDevices = new Set(devices).size;
  if (node?.slots.per !== "gpu" || gpus === undefined || numDevices >= gpus) return;
  throw new Error(
    `the trainer "${name}" takes gpus: ${gpus}, and the sweep reserved ${numDevices} when it was launched: set gpus back, or launch the sweep again`,
  );
}

function contain(job: ExternalJob, { folder, runFolder }: AttemptPaths, node: Node | undefined): ExternalJob {
  const container = node?.container;
  if (container === undefined) return job;
  // A branch reads its origin's checkpoint from a folder beside its own.
  const origin = job.begins ? [join(dirname(runFolder), job.begins.run)] : [];
  const own = [...(folder.startsWith(`${runFolder}/`) ? [runFolder] : [runFolder, folder]), ...origin];
  const within = (argv: readonly string[]) => inContainer(container, argv, { folder: job.folder, own });
  const { prepare, reporting, begins } = job;
  return {
    ...job,
    argv: within(job.argv),
    ...(begins && { begins: { ...begins, python: within(begins.python) } }),
    ...(prepare && { prepare: within(prepare) }),
    ...(reporting && { reporting: { ...reporting, python: within(reporting.python) } }),
  };
}

/**
 * Passes secrets to a job together with their names, so that the adapter can remove the values from the program's
 * output.
 */
export function withNames(secrets: Program["secrets"]): Record<string, string> {
  const names = Object.keys(secrets);
  return names.length === 0 ? {} : { ...secrets, ARLARENA_SECRETS: names.join(",") };
}
