import { z } from "zod";
import { environmentTexts } from "../environmentTexts.ts";
import { maxTurns } from "./knob.ts";

const text = (title: string, description: string) =>
  z
    .string()
    .min(1)
    .max(300)
    .refine((value) => !/^-|\$\{|[\n\r\0]/.test(value), { error: 'one line without "${" that begins with no "-"' })
    .meta({ title, description });

/** Title of the custom task in tables, charts and groups. It must differ from the names of built-in environments. */
const Title = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} _.+()-]{0,59}$/u, { error: "letters, digits, spaces and _ . + - ( ), at most 60" })
  .refine((title) => !ourNames.has(title.toLowerCase()), { error: "is an environment of the studio: take another" })
  .meta({ title: "Title", description: "Tables, charts and pages call the task so." });

const ourNames = new Set(
  Object.entries(environmentTexts).flatMap(([id, { title }]) => [id.toLowerCase(), title.toLowerCase()]),
);

/** Maps metrics of the studio's catalogue to the names under which the external trainer logs them. */
const Metrics = z.strictObject({
  success: text("Success metric", "The trainer's name of the success rate on held-out tasks.").optional(),
  score: text("Score metric", "The trainer's name of the mean score on held-out tasks.").optional(),
  trainingSuccess: text("Training success metric", "The trainer's name of the success rate in training.").optional(),
  trainingScore: text("Training score metric", "The trainer's name of the mean score in training.").optional(),
});

/** A task that only an external trainer has: its title, its data and its reward. */
export const CustomSpec = z.strictObject({
  id: z.literal("custom"),
  title: Title,
  dataFolder: text(
    "Data folder",
    "With train.parquet and test.parquet, in the template's taskFolder; else the template's data.",
  ).optional(),
  rewardFunction: text(
    "Reward function",
    "FILE.py:FUNCTION in the template's taskFolder; else what the trainer has for the data.",
  ).optional(),
  agentLoop: text(
    "Agent loop",
    "The trainer's name of the loop that plays episodes; none: one response an episode.",
  ).optional(),
  maxTurns: maxTurns(100).default(1),
  metrics: Metrics.optional(),
});
export type CustomSpec = z.infer<typeof CustomSpec>;
