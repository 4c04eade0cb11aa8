import { readOptions } from "../fillIn.ts";
import { mathOptions } from "../verl/math.ts";
import type { VerlSettings } from "../verl/run.ts";

/** Settings of an ARLArena template with all fields set, so that a command depends only on the specification. */
export const settings: VerlSettings = {
  flavour: "arlarena",
  agentLoop: "tool_agent",
  options: readOptions(mathOptions, {}),
  models: { default: "/models/m" },
  gpus: 4,
  machines: 1,
  version: "0.9.1",
  tensorParallel: 1,
  promptTokens: 1024,
  keptCheckpoints: 2,
  home: "/home/me",
  logger: ["console"],
  project: "p",
  dataFolder: "/data",
  runFolder: "/runs/r",
  folder: "/runs/r/1",
  experiment: "r",
};
