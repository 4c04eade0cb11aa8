import { splitOf, taskSeeds, type Split } from "#trainer/spec/taskSeeds.ts";

export const splits = ["train", "seen", "unseen"] as const satisfies Split[];

export function numTasks(split: Split): number {
  return taskSeeds[split].to - taskSeeds[split].from;
}

/** Names a task by its number within its split: "task 3" of training, "seen task 0", "unseen task 12". */
export function nameTask(seed: number): string {
  const split = splitOf(seed);
  return split === "train" ? `task ${seed}` : `${split} task ${seed - taskSeeds[split].from}`;
}

/** Returns the seed of a task by its number (from 0); undefined if the split has no such task. */
export function seedOf(split: Split, number: number): number | undefined {
  const { from } = taskSeeds[split];
  return Number.isInteger(number) && number >= 0 && number < numTasks(split) ? from + number : undefined;
}
