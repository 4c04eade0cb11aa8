import { dirname, join } from "node:path";
import type { ReadSecrets } from "#server/config/secrets.ts";
import type { AttemptPaths, ExternalFile, ExternalJob } from "#packages/trainers";
import { inContainer } from "#server/domain/fleet/nodes/container.ts";
import type { Node } from "#server/domain/fleet/nodes/node.ts";
import { splitSecrets } from "#server/domain/fleet/secrets.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import type { Job } from "./launcher.ts";

/** Finds another trainer's program for a RunSpec and inserts the attempt's paths. Throws if there is none. */
export type Resolve = (spec: RunSpec, paths: AttemptPaths) => ExternalJob;

export type ProgramSite = {
  resolve?: Resolve | undefined;
  readSecrets?: ReadSecrets | undefined;
  /** Node of the attempt; absent for the agent on an ssh node, which receives a resolved program. */
  node?: Node | undefined;
};

/** `external`: the adapter's program, null for the built-in trainer. `secrets`: variables never written to a file. */
export type Program = { external: ExternalFile | null; secrets: Readonly<Record<string, string>> };

/** Finds an attempt's program, in the node's image and with the named secrets, or the problem for the run's log. */
export function resolveProgram(
  { resolve, readSecrets = refuseSecrets, node }: ProgramSite,
  { spec, devices }: Pick<Job, "spec" | "devices">,
  paths: AttemptPaths,
): Program {
  const named = node?.secrets ?? [];
  if (spec.trainer === undefined) return { external: null, secrets: knownOf(readSecrets, named) };
  try {
    if (resolve === undefined) throw new Error("this studio has no other trainers configured");
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
  if (names.length > 0) throw new Error(`this studio has no secrets configured, but ${names.join(", ")} is required`);
  return {};
};

/** Reads the named secrets that exist. Missing ones are skipped, since the built-in trainer trains without them. */
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

/** Throws if the program requires more GPUs than are reserved: its template may have changed since. */
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
  // A branch reads its origin's checkpoint from the origin's folder, which lies beside the branch's own.
  const origin = job.begins ? [join(dirname(runFolder), job.begins.run)] : [];
  const own = [...(folder.startsWith(`${runFolder}/`) ? [runFolder] : [runFolder, folder]), ...origin];
  const within = (argv: readonly string[]) => inContainer(container, argv, { folder: job.folder, own });
  const { prepare, reporting, begins, suits } = job;
  return {
    ...job,
    argv: within(job.argv),
    ...(begins && { begins: { ...begins, python: within(begins.python) } }),
    ...(prepare && { prepare: within(prepare) }),
    ...(suits && { suits: { ...suits, python: within(suits.python) } }),
    ...(reporting && { reporting: { ...reporting, python: within(reporting.python) } }),
  };
}

/** Returns secret variables and a list of their names, by which the adapter removes them from the output. */
export function withNames(secrets: Program["secrets"]): Record<string, string> {
  const names = Object.keys(secrets);
  return names.length === 0 ? {} : { ...secrets, ARLARENA_SECRETS: names.join(",") };
}
