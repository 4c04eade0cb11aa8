import { z } from "zod";
import { choice, count, flag, maxTurns, projection, showAdmissible } from "../setting.ts";

const AlfworldTaskType = z.enum(["pick", "look", "clean", "heat", "cool", "pick2"]);

/** Schema of ALFWorld's settings: household tasks in text, with the texts and rules of the original engine. */
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
  numReceptacles: count(
    [6, 40],
    "Receptacles",
    "Number of receptacles (places for objects) per room. The original ALFWorld has 12 to 40.",
  ).default(7),
  numObjects: count([4, 60], "Objects", "Number of objects per room. Several objects can be of the same kind.").default(
    8,
  ),
  closedPercent: count(
    [0, 100],
    "Hidden targets (%)",
    "Percentage of tasks whose target object starts in a closed receptacle, if a suitable receptacle exists.",
  ).default(25),
  maxTurns: maxTurns(200).default(20),
  reward: choice(
    ["sparse", "dense"],
    "Reward",
    "sparse: 10 when the task is done; dense: the 10 points are divided among the task's steps (found, taken, treated, put), and a step's points are lost when the step is undone.",
  ).default("sparse"),
  projection,
  notes: flag(
    "Notes",
    "Adds notes to the prompt of a small policy: the agent's position and inventory, where objects of the goal were seen, and which receptacles are not searched yet.",
  ).default(true),
  showAdmissible,
});
export type AlfworldSpec = z.infer<typeof AlfworldSpec>;
