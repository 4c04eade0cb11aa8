import { join } from "node:path";
import { AppError } from "#server/domain/errors.ts";
import type { Node } from "#server/domain/nodes/node.ts";
import { slotEnvironment } from "#server/domain/nodes/slots.ts";
import type { Launcher } from "./launcher.ts";
import { makeLocalLauncher } from "./local.ts";

/** What every launcher shares: our state folder, and the trainer's argv and environment on this machine. */
export type Site = {
  home: string;
  trainer: { command: readonly string[]; environment: Readonly<Record<string, string>> };
};

/** What runs jobs on a node. */
export function makeLauncher(node: Node, { home, trainer }: Site): Launcher {
  const runsFolder = join(home, "runs");
  const environment = { ...trainer.environment, ...node.environment };
  const environmentOf = (devices: readonly string[]) => slotEnvironment(node.slots, devices);
  switch (node.kind) {
    case "local":
      return makeLocalLauncher({ node: node.name, runsFolder, command: trainer.command, environment, environmentOf });
    case "ssh":
    case "slurm":
      throw new AppError("unavailable", `node ${node.name}: no launcher for nodes of kind ${node.kind} yet`);
  }
}
