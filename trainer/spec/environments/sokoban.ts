import { z } from "zod";
import { knob, maxTurns } from "./knob.ts";

/** Sokoban: push every box onto a target. Rooms are made by reverse play (gym-sokoban, RAGEN). */
export const SokobanSpec = z.strictObject({
  id: z.literal("sokoban"),
  size: knob([5, 10], "Room size", "Rows and columns, border walls included.").default(6),
  numBoxes: knob([1, 4], "Boxes", "Boxes and targets in a room.").default(1),
  searchDepth: knob([1, 100], "Search depth", "Depth of the reverse play that makes a room: deeper is harder.").default(
    30,
  ),
  maxTurns: maxTurns(200).default(15),
  reward: z
    .enum(["native", "sparse", "progress"])
    .meta({
      title: "Reward",
      description:
        "native: −0.1 a turn, ±1 as a box comes on or off a target, +10 solved; sparse: 10 when solved; progress: sparse, and a quarter for every move that the solution gets shorter.",
    })
    .default("native"),
});
export type SokobanSpec = z.infer<typeof SokobanSpec>;
