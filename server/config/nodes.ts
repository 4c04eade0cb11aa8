import { availableParallelism } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { AppError } from "#packages/base";
import { type Node, NodesFile, thisMachine } from "#server/domain/fleet/nodes/node.ts";
import { orUnset, parseVariables } from "./config.ts";
import { readYamlFile } from "./yamlFile.ts";

const Slots = z.object({ ARLARENA_SLOTS: orUnset(z.coerce.number().int().min(1).max(1024).optional()) });

/** Path of the file of compute nodes, which need not exist. */
export function nodesFile(home: string, environment: NodeJS.ProcessEnv = process.env): string {
  return environment["ARLARENA_NODES"] || join(home, "nodes.yaml");
}

/** Reads the compute nodes from `ARLARENA_NODES` or `nodes.yaml`; without either, this machine is the only node. */
export function readNodes(home: string, environment: NodeJS.ProcessEnv = process.env): readonly Node[] {
  const named = environment["ARLARENA_NODES"] || undefined;
  const file = readYamlFile(nodesFile(home, environment), NodesFile);
  const count = parseVariables(Slots, environment).ARLARENA_SLOTS;
  if (file && count === undefined) return file.nodes;
  // The page Cost may have made the file, whose number of slots must not replace the variable's.
  if (file && count !== undefined)
    return file.nodes.map((node): Node =>
      node.kind === "local" && node.name === "local" ? { ...node, slots: { per: "core", count } } : node,
    );
  if (named !== undefined) throw new AppError("bad_input", `ARLARENA_NODES names ${named}, which does not exist`);
  return [thisMachine(count ?? availableParallelism())];
}
