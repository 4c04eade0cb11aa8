import type { VerlSettings } from "../verl/arguments.ts";

/** A template of ARLArena's with everything named, so that a command depends on the specification alone. */
export const settings: VerlSettings = {
  flavour: "arlarena",
  models: { default: "/models/m" },
  gpus: 4,
  machines: 1,
  logger: ["console"],
  project: "p",
  dataFolder: "/data",
  runFolder: "/runs/r",
  folder: "/runs/r/1",
  experiment: "r",
};
