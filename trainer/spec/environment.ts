import { z } from "zod";
import { AlfworldSpec } from "./environments/alfworld.ts";
import { CustomSpec } from "./environments/custom.ts";
import { SokobanSpec } from "./environments/sokoban.ts";
import { SweGymSpec } from "./environments/sweGym.ts";
import { TextWorldSpec } from "./environments/textworld.ts";
import { TirMathSpec } from "./environments/tirMath.ts";
import { WebShopSpec } from "./environments/webshop.ts";
import { environmentTexts } from "./environmentTexts.ts";

/** Schema of a built-in environment. A new one needs a member here, a row in `environments` and a folder. */
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

/** Schema of an environment's name, which becomes part of the keys of its metrics. */
export const EnvironmentName = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,39}$/, {
    error: ({ input }) =>
      `is ${JSON.stringify(String(input).slice(0, 100))}, must be 1 to 40 letters, digits, -, _ or ., and begin with a letter or digit`,
  })
  .optional()
  .describe("Name of this environment in the names of its metrics. Absent: the environment's id.");

const severalOf = <Entry extends z.ZodType>(entry: Entry, noun: string) =>
  z
    .array(entry)
    .min(2, { error: `has fewer than 2 ${noun}; write the environment alone instead` })
    .max(12);

/** Schema of a mixture of environments. Each group of episodes attempts a task from one of them. */
export const MixtureSpec = z.strictObject({
  id: z.literal("mixture"),
  parts: severalOf(
    z.strictObject({
      name: EnvironmentName,
      weight: z
        .number()
        .min(0.001)
        .max(1000)
        .default(1)
        .describe(
          "Relative weight of the environment: groups are divided among the parts in proportion to their weights.",
        ),
      environment: BuiltInEnvironment,
    }),
    "parts",
  ),
});
export type MixtureSpec = z.infer<typeof MixtureSpec>;

/** Schema of a curriculum: environments one after another. The run is evaluated in the last one throughout. */
export const CurriculumSpec = z.strictObject({
  id: z.literal("curriculum"),
  phases: severalOf(
    z.strictObject({
      name: EnvironmentName,
      environment: BuiltInEnvironment,
      until: z
        .strictObject({
          iterations: z
            .int()
            .min(1)
            .max(1_000_000)
            .optional()
            .describe("Number of iterations after which the phase ends."),
          success: z
            .number()
            .min(0)
            .max(1)
            .optional()
            .describe(
              "Success rate that ends the phase: the phase ends after an evaluation in its environment that reaches this rate.",
            ),
        })
        .optional()
        .describe("End of the phase: the first condition that is met. Absent only in the last phase."),
    }),
    "phases",
  ),
});
export type CurriculumSpec = z.infer<typeof CurriculumSpec>;

/** Schema of a run's environment: built-in, mixture, curriculum, or a task that only an external trainer has. */
export const EnvironmentSpec = z.discriminatedUnion("id", [
  ...BuiltInEnvironment.options,
  MixtureSpec,
  CurriculumSpec,
  CustomSpec,
]);
export type EnvironmentSpec = z.infer<typeof EnvironmentSpec>;
export type SingleEnvironment = Exclude<EnvironmentSpec, MixtureSpec | CurriculumSpec>;

export const environments: Record<EnvironmentId, { title: string; summary: string; schema: z.ZodObject }> = {
  sokoban: { ...environmentTexts.sokoban, schema: SokobanSpec },
  alfworld: { ...environmentTexts.alfworld, schema: AlfworldSpec },
  webshop: { ...environmentTexts.webshop, schema: WebShopSpec },
  sweGym: { ...environmentTexts.sweGym, schema: SweGymSpec },
  textworld: { ...environmentTexts.textworld, schema: TextWorldSpec },
  tirMath: { ...environmentTexts.tirMath, schema: TirMathSpec },
};

export { type Split, splitOf, taskSeeds } from "./taskSeeds.ts";
