import { join } from "node:path";
import { AppError } from "#server/domain/errors.ts";
import type { Node } from "#server/domain/nodes/node.ts";
import { slotEnvironment } from "#server/domain/nodes/slots.ts";
import { fetchPackages } from "#server/packages/fetchPackages.ts";
import { packagesOf } from "#trainer/spec/environment.ts";
import type { Launcher } from "./launcher.ts";
import { type LocalOptions, makeLocalLauncher } from "./local.ts";
import { withMachineNotes } from "./machineNotes.ts";
import { makeRayLauncher } from "./ray/ray.ts";
import { makeSlurmLauncher } from "./slurm/slurm.ts";
import type { Bundle } from "./ssh/ship.ts";
import { makeSshLauncher } from "./ssh/ssh.ts";

/** What every launcher shares: our state folder, and the trainer's argv and environment on this machine. */
export type Site = {
  home: string;
  trainer: { command: readonly string[]; environment: Readonly<Record<string, string>> };
  /** Programs of other trainers, on this machine. */
  external: NonNullable<LocalOptions["external"]>;
  /** What travels to nodes that share no disk with us; undefined where there are none. */
  bundle: Bundle | undefined;
};

/** What one round of the orchestrator asks for comes within this time of one another. */
const gatherMs = 500;

/** What runs jobs on a node. The Python packages of a job lie in the state folder before it is started or shipped. */
export function makeLauncher(node: Node, site: Site): Launcher {
  const launcher = makeOfKind(node, site);
  return {
    ...launcher,
    launch: async (job) => {
      if (job.spec.trainer === undefined) await fetchPackages(site.home, packagesOf(job.spec.environment));
      await launcher.launch(job);
    },
  };
}

function makeOfKind(node: Node, { home, trainer, bundle, external }: Site): Launcher {
  const runsFolder = join(home, "runs");
  const environment = { ...trainer.environment, ...node.environment };
  const environmentOf = (devices: readonly string[]) => slotEnvironment(node.slots, devices);
  switch (node.kind) {
    case "local":
      return makeLocalLauncher({
        node: node.name,
        runsFolder,
        command: trainer.command,
        environment,
        environmentOf,
        external,
        leaseMs: node.leaseHours * 3600_000,
        looks: true,
      });
    case "ssh":
      if (bundle === undefined) throw new AppError("unavailable", `node ${node.name}: there is no trainer to ship`);
      return makeSshLauncher({ node, home, bundle, resolve: external.resolve });
    case "slurm":
      if (bundle === undefined) throw new AppError("unavailable", `node ${node.name}: there is no trainer to share`);
      return withMachineNotes(
        makeSlurmLauncher({ node, home, bundle, resolve: external.resolve, gatherMs: node.arrays ? gatherMs : 0 }),
      );
    case "ray":
      if (bundle === undefined) throw new AppError("unavailable", `node ${node.name}: there is no trainer to ship`);
      return withMachineNotes(makeRayLauncher({ node, home, bundle, resolve: external.resolve }));
  }
}
