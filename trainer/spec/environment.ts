import { z } from "zod";

const knob = (min: number, max: number, title: string, description: string) =>
  z.int().min(min).max(max).meta({ title, description });

/** Sokoban: push every box onto a target. Rooms are made by reverse play (gym-sokoban, RAGEN). */
export const SokobanSpec = z.strictObject({
  id: z.literal("sokoban"),
  size: knob(5, 10, "Room size", "Rows and columns, border walls included.").default(6),
  numBoxes: knob(1, 4, "Boxes", "Boxes and targets in a room.").default(1),
  searchDepth: knob(1, 100, "Search depth", "Depth of the reverse play that makes a room: deeper is harder.").default(
    30,
  ),
  maxTurns: knob(1, 200, "Turns at most", "An episode is truncated after this many turns.").default(15),
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

/** One task family with its difficulty. A new environment is one more member and one row of `environments`. */
export const EnvironmentSpec = z.discriminatedUnion("id", [SokobanSpec]);
export type EnvironmentSpec = z.infer<typeof EnvironmentSpec>;
export type EnvironmentId = EnvironmentSpec["id"];

/** Titles and one sentence each, for pages and tables. */
export const environments: Record<EnvironmentId, { title: string; summary: string; schema: z.ZodObject }> = {
  sokoban: {
    title: "Sokoban",
    summary: "Push boxes onto targets in generated rooms; a wrong push can make a room unsolvable.",
    schema: SokobanSpec,
  },
};

/** Seeds of tasks. The ranges are disjoint, so no evaluation task is ever trained on. */
export const taskSeeds = {
  train: { from: 0, to: 2 ** 16 - 1 },
  validation: { from: 2 ** 16, to: 2 ** 17 },
} as const;
