import { z } from "zod";
import { AlfworldSpec } from "./environments/alfworld.ts";
import type { PythonPackage } from "./environments/pythonPackages.ts";
import { SokobanSpec } from "./environments/sokoban.ts";
import { SweGymSpec } from "./environments/sweGym.ts";
import { TextWorldSpec } from "./environments/textworld.ts";
import { TirMathSpec } from "./environments/tirMath.ts";
import { WebShopSpec } from "./environments/webshop.ts";

/** One task family with its difficulty. A new environment is one more member and one row of `environments`. */
export const EnvironmentSpec = z.discriminatedUnion("id", [
  SokobanSpec,
  AlfworldSpec,
  WebShopSpec,
  SweGymSpec,
  TextWorldSpec,
  TirMathSpec,
]);
export type EnvironmentSpec = z.infer<typeof EnvironmentSpec>;
export type EnvironmentId = EnvironmentSpec["id"];

/** What programs of an environment's actions import beside the standard library. */
export function packagesOf(environment: EnvironmentSpec): readonly PythonPackage[] {
  return environment.id === "tirMath" ? [...new Set(environment.packages)] : [];
}

/** Titles and one sentence each, for pages and tables. */
export const environments: Record<EnvironmentId, { title: string; summary: string; schema: z.ZodObject }> = {
  sokoban: {
    title: "Sokoban",
    summary: "Push boxes onto targets in generated rooms; a wrong push can make a room unsolvable.",
    schema: SokobanSpec,
  },
  alfworld: {
    title: "ALFWorld",
    summary:
      "Find, clean, heat, cool and place things in generated households; what is in closed places must be looked for.",
    schema: AlfworldSpec,
  },
  webshop: {
    title: "WebShop",
    summary: "Find, configure and buy what an instruction asks for, in a shop with a search and articles with options.",
    schema: WebShopSpec,
  },
  sweGym: {
    title: "SWE-Gym",
    summary: "Repair a bug in a small Python repository, by an issue, an editor and tests that are really run.",
    schema: SweGymSpec,
  },
  textworld: {
    title: "TextWorld",
    summary: "Play text adventures: rooms, doors, keys and containers, with quests of many kinds and lengths.",
    schema: TextWorldSpec,
  },
  tirMath: {
    title: "TIR-Math",
    summary: "Solve math problems over several turns with a Python interpreter, and give the answer in a box.",
    schema: TirMathSpec,
  },
};

/** The title of an environment; of one that is not ours, which imported runs name, its id. */
export function titleOfEnvironment(id: string): string {
  return Object.entries(environments).find(([known]) => known === id)?.[1].title ?? id;
}

/**
 * Seeds of tasks. The ranges are disjoint, so no evaluation task is ever trained on. Seen tasks are new ones of the
 * kinds trained on; unseen ones are of kinds held out, where an environment has any.
 */
export const taskSeeds = {
  train: { from: 0, to: 2 ** 16 - 1 },
  seen: { from: 2 ** 16, to: 2 ** 17 },
  unseen: { from: 2 ** 17, to: 2 ** 18 },
} as const;
export type Split = keyof typeof taskSeeds;

/** Seeds outside all ranges count as training ones. */
export function splitOf(seed: number): Split {
  const isIn = ({ from, to }: { from: number; to: number }): boolean => seed >= from && seed < to;
  if (isIn(taskSeeds.unseen)) return "unseen";
  return isIn(taskSeeds.seen) ? "seen" : "train";
}
