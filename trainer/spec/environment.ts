import { z } from "zod";
import { AlfworldSpec } from "./environments/alfworld.ts";
import { CustomSpec } from "./environments/custom.ts";
import type { PythonPackage } from "./environments/pythonPackages.ts";
import { SokobanSpec } from "./environments/sokoban.ts";
import { SweGymSpec } from "./environments/sweGym.ts";
import { TextWorldSpec } from "./environments/textworld.ts";
import { TirMathSpec } from "./environments/tirMath.ts";
import { WebShopSpec } from "./environments/webshop.ts";
import { environmentTexts } from "./environmentTexts.ts";

/**
 * A built-in task family with its difficulty. A new environment is one more member, a row of `environments` and a folder
 * in `trainer/environments`.
 */
export const BuiltInEnvironment = z.discriminatedUnion("id", [
  SokobanSpec,
  AlfworldSpec,
  WebShopSpec,
  SweGymSpec,
  TextWorldSpec,
  TirMathSpec,
]);
export type BuiltInEnvironment = z.infer<typeof BuiltInEnvironment>;
export type EnvironmentId = BuiltInEnvironment["id"];

/** The environment of a run: a built-in one, or a task known only to an external trainer. */
export const EnvironmentSpec = z.discriminatedUnion("id", [...BuiltInEnvironment.options, CustomSpec]);
export type EnvironmentSpec = z.infer<typeof EnvironmentSpec>;

/** Identifies an environment, without the settings that have defaults. */
export function plainEnvironment(environment: EnvironmentSpec): { id: EnvironmentSpec["id"]; title?: string } {
  const { id } = environment;
  return id === "custom" ? { id, title: environment.title } : { id };
}

/** Packages that Python programs of an environment can import besides the standard library. */
export function packagesOf(environment: EnvironmentSpec): readonly PythonPackage[] {
  return environment.id === "tirMath" ? [...new Set(environment.packages)] : [];
}

/** Title, one sentence and the settings' schema of each environment. */
export const environments: Record<EnvironmentId, { title: string; summary: string; schema: z.ZodObject }> = {
  sokoban: { ...environmentTexts.sokoban, schema: SokobanSpec },
  alfworld: { ...environmentTexts.alfworld, schema: AlfworldSpec },
  webshop: { ...environmentTexts.webshop, schema: WebShopSpec },
  sweGym: { ...environmentTexts.sweGym, schema: SweGymSpec },
  textworld: { ...environmentTexts.textworld, schema: TextWorldSpec },
  tirMath: { ...environmentTexts.tirMath, schema: TirMathSpec },
};

/**
 * Ranges of task seeds. They are disjoint, so no evaluation task is ever trained on. Seen tasks are new tasks of the
 * trained kinds. Unseen tasks are of held-out kinds, where an environment has any.
 */
export const taskSeeds = {
  train: { from: 0, to: 2 ** 16 - 1 },
  seen: { from: 2 ** 16, to: 2 ** 17 },
  unseen: { from: 2 ** 17, to: 2 ** 18 },
} as const;
export type Split = keyof typeof taskSeeds;

/** Seeds outside all ranges count as training seeds. */
export function splitOf(seed: number): Split {
  const isIn = ({ from, to }: { from: number; to: number }): boolean => seed >= from && seed < to;
  if (isIn(taskSeeds.unseen)) return "unseen";
  return isIn(taskSeeds.seen) ? "seen" : "train";
}
