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

/** One task family of ours with its difficulty. A new environment is one more member and one row of `environments`. */
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

/** What a run acts in: one of ours, or a task that only an external trainer has. */
export const EnvironmentSpec = z.discriminatedUnion("id", [...BuiltInEnvironment.options, CustomSpec]);
export type EnvironmentSpec = z.infer<typeof EnvironmentSpec>;

/** What names an environment, without the settings that have defaults. */
export function plainEnvironment(environment: EnvironmentSpec): { id: EnvironmentSpec["id"]; title?: string } {
  const { id } = environment;
  return id === "custom" ? { id, title: environment.title } : { id };
}

/** What programs of an environment's actions import beside the standard library. */
export function packagesOf(environment: EnvironmentSpec): readonly PythonPackage[] {
  return environment.id === "tirMath" ? [...new Set(environment.packages)] : [];
}

/** Titles and one sentence each with the schema of their settings. */
export const environments: Record<EnvironmentId, { title: string; summary: string; schema: z.ZodObject }> = {
  sokoban: { ...environmentTexts.sokoban, schema: SokobanSpec },
  alfworld: { ...environmentTexts.alfworld, schema: AlfworldSpec },
  webshop: { ...environmentTexts.webshop, schema: WebShopSpec },
  sweGym: { ...environmentTexts.sweGym, schema: SweGymSpec },
  textworld: { ...environmentTexts.textworld, schema: TextWorldSpec },
  tirMath: { ...environmentTexts.tirMath, schema: TirMathSpec },
};

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
