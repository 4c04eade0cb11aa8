import { z } from "zod";

/** One line of `samples.jsonl` beside a run's log: an evaluation episode, stored for reading. */
export const SampleEpisode = z.object({
  v: z.literal(1),
  iteration: z.int(),
  seed: z.int(),
  /** Task type, where the environment has several. */
  taskType: z.string().optional(),
  isSuccess: z.boolean(),
  /** The native score at the end, in [0, 1]. */
  score: z.number().optional(),
  episodeReward: z.number(),
  turns: z.array(
    z.object({
      prompt: z.string(),
      /**
       * The policy's tokens with their log-probabilities, and the entropies of the sampling distributions in nats. Both
       * are at the sampling temperature; null if not finite.
       */
      response: z.array(
        z.object({ token: z.string(), logProb: z.number().nullable(), entropy: z.number().nullable().optional() }),
      ),
      /** The parsed text and token numbers of a language model, whose single tokens do not spell the text. */
      written: z.object({ text: z.string(), tokens: z.array(z.int()) }).optional(),
      action: z.string(),
      reward: z.number(),
      isFormatValid: z.boolean(),
      isActionValid: z.boolean(),
    }),
  ),
});
export type SampleEpisode = z.infer<typeof SampleEpisode>;
