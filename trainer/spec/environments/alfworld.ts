import { z } from "zod";
import { knob, maxTurns, projection, showAdmissible } from "./knob.ts";

const AlfworldTaskType = z.enum(["pick", "look", "clean", "heat", "cool", "pick2"]);

/**
 * Schema of ALFWorld's settings. ALFWorld has household tasks in text, with the texts and rules of the original
 * engine.
 */
export const AlfworldSpec = z.strictObject({
  id: z.literal("alfworld"),
  taskTypes: z
    .array(AlfworldTaskType)
    .min(1)
    .max(6)
    .meta({
      title: "Task types",
      description:
        "Types: pick and place; look at under a lamp; clean and place; heat and place; cool and place; pick two and place.",
    })
    .default(["pick", "look", "clean", "heat", "cool", "pick2"]),
  numReceptacles: knob(
    [6, 40],
    "Receptacles",
    "Number of receptacles per room, where objects can be; the original has 12 to 40.",
  ).default(7),
  numObjects: knob([4, 60], "Objects", "Number of objects per room; several may be of the same kind.").default(8),
  closedPercent: knob(
    [0, 100],
    "Hidden targets (%)",
    "Percentage of tasks whose target object starts in a closed receptacle, if a suitable receptacle exists.",
  ).default(25),
  maxTurns: maxTurns(200).default(20),
  reward: z
    .enum(["sparse", "dense"])
    .meta({
      title: "Reward",
      description:
        "sparse: 10 when the task is done; dense: the same 10 divided among the task's steps (found, taken, treated, put), and lost again when a step is undone.",
    })
    .default("sparse"),
  projection,
  notes: z
    .boolean()
    .meta({
      title: "Notes",
      description:
        "Adds to a small policy's prompt: its position, its inventory, where objects of the goal were seen, and which receptacles it has not searched.",
    })
    .default(true),
  showAdmissible,
});
export type AlfworldSpec = z.infer<typeof AlfworldSpec>;
