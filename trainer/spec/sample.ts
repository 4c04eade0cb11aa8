import { z } from "zod";

/** One line of `samples.jsonl` beside a run's log: an evaluation episode, stored for readers of the run. */
export const SampleEpisode = z.object({
  v: z.literal(1),
  iteration: z.int(),
  seed: z.int(),
  /** Task type, if the environment has several types. */
  taskType: z.string().optional(),
  isSuccess: z.boolean(),
  /** The environment's own score at the end of the episode, in [0, 1]. */
  score: z.number().optional(),
  episodeReward: z.number(),
  turns: z.array(
    z.object({
      prompt: z.string(),
      /**
       * Tokens of the response with their log-probability and the entropy of the sampling distribution in nats, both at
       * the sampling temperature; null if not finite.
       */
      response: z.array(
        z.object({ token: z.string(), logProb: z.number().nullable(), entropy: z.number().nullable().optional() }),
      ),
      /** Text and token numbers of a pretrained model's response, because its single tokens do not spell the text. */
      written: z.object({ text: z.string(), tokens: z.array(z.int()) }).optional(),
      action: z.string(),
      reward: z.number(),
      isFormatValid: z.boolean(),
      isActionValid: z.boolean(),
    }),
  ),
});
export type SampleEpisode = z.infer<typeof SampleEpisode>;
