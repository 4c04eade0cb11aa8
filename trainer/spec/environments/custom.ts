import { z } from "zod";
import { environmentTexts } from "../environmentTexts.ts";
import { maxTurns } from "../setting.ts";

const text = (title: string, description: string) =>
  z
    .string()
    .min(1)
    .max(300)
    .refine((value) => !/^-|\$\{|[\n\r\0]/.test(value), {
      error: 'must be one line without "${" that does not begin with "-"',
    })
    .meta({ title, description });

/** Schema of a custom task's title in tables and charts, which must differ from the names of built-in environments. */
const Title = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} _.+()-]{0,59}$/u, {
    error: "must be at most 60 letters, digits, spaces or _ . + - ( )",
  })
  .refine((title) => !ourNames.has(title.toLowerCase()), {
    error: "is the name of a built-in environment: choose another title",
  })
  .meta({ title: "Title", description: "Name of the task in tables, charts and pages." });

const ourNames = new Set(
  Object.entries(environmentTexts).flatMap(([id, { title }]) => [id.toLowerCase(), title.toLowerCase()]),
);

/** Schema of the names under which an external trainer logs the studio's main metrics. */
const Metrics = z.strictObject({
  success: text("Success metric", "Name under which the trainer logs the success rate on held-out tasks.").optional(),
  score: text("Score metric", "Name under which the trainer logs the mean score on held-out tasks.").optional(),
  trainingSuccess: text(
    "Training success metric",
    "Name under which the trainer logs the training success rate.",
  ).optional(),
  trainingScore: text("Training score metric", "Name under which the trainer logs the mean training score.").optional(),
});

/** Schema of a task that only an external trainer has: its title, its data and its reward. */
export const CustomSpec = z.strictObject({
  id: z.literal("custom"),
  title: Title,
  dataFolder: text(
    "Data folder",
    "Folder with train.parquet and test.parquet, inside the template's taskFolder. Empty: the data of the template.",
  ).optional(),
  rewardFunction: text(
    "Reward function",
    "Reward function as FILE.py:FUNCTION, inside the template's taskFolder. Empty: the trainer's own reward function for the data.",
  ).optional(),
  agentLoop: text(
    "Agent loop",
    "Name of the trainer's agent loop, which runs the episodes. Empty: an episode is a single response.",
  ).optional(),
  maxTurns: maxTurns(100).default(1),
  metrics: Metrics.optional(),
});
export type CustomSpec = z.infer<typeof CustomSpec>;
