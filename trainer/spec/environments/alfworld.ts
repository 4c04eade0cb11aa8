import { z } from "zod";
import { knob, maxTurns, projection, showAdmissible } from "./knob.ts";

const AlfworldTaskType = z.enum(["pick", "look", "clean", "heat", "cool", "pick2"]);

/** ALFWorld: household tasks in text, with the texts and rules of the original engine. */
export const AlfworldSpec = z.strictObject({
  id: z.literal("alfworld"),
  taskTypes: z
    .array(AlfworldTaskType)
    .min(1)
    .max(6)
    .meta({
      title: "Types of task",
      description: "pick and place, look at under a lamp, clean, heat or cool and place, pick two and place.",
    })
    .default(["pick", "look", "clean", "heat", "cool", "pick2"]),
  numReceptacles: knob(
    [6, 40],
    "Receptacles",
    "Receptacles of a room, where things can be; the original has 12 to 40.",
  ).default(7),
  numObjects: knob([4, 60], "Objects", "Things in a room, several of a kind among them.").default(8),
  closedPercent: knob(
    [0, 100],
    "Hidden targets (%)",
    "Share of tasks whose object starts in a closed receptacle, where one fits.",
  ).default(25),
  maxTurns: maxTurns(200).default(20),
  reward: z
    .enum(["sparse", "dense"])
    .meta({
      title: "Reward",
      description:
        "sparse: 10 when the task is done; dense: the same 10 shared among its steps (found, taken, treated, put), lost again when undone.",
    })
    .default("sparse"),
  projection,
  notes: z
    .boolean()
    .meta({
      title: "Notes",
      description:
        "A small policy's prompt says where it is, what it has, where things of the goal were seen and what was not looked into, as far as the turns so far show.",
    })
    .default(true),
  showAdmissible,
});
export type AlfworldSpec = z.infer<typeof AlfworldSpec>;
