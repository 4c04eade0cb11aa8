import { taskSeeds, type Split } from "#trainer/spec/environment.ts";

export const splits = ["train", "seen", "unseen"] as const satisfies Split[];

export function numTasks(split: Split): number {
  return taskSeeds[split].to - taskSeeds[split].from;
}

/** Returns the seed of a task by its number (from 0); undefined if the split has no such task. */
export function seedOf(split: Split, number: number): number | undefined {
  const { from } = taskSeeds[split];
  return Number.isInteger(number) && number >= 0 && number < numTasks(split) ? from + number : undefined;
}
