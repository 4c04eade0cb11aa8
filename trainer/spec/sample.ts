import { z } from "zod";

/** One line of `samples.jsonl`, which lies beside a run's log: an evaluation episode as it is kept for reading. */
export const SampleEpisode = z.object({
  v: z.literal(1),
  iteration: z.int(),
  /** Of the task. */
  seed: z.int(),
  /** Where the environment has kinds of tasks. */
  taskType: z.string().optional(),
  isSuccess: z.boolean(),
  /** The native score at the end, in [0, 1]. */
  score: z.number().optional(),
  episodeReward: z.number(),
  turns: z.array(
    z.object({
      prompt: z.string(),
      /**
       * The policy's tokens with their log-probabilities and the entropies of the distributions they were drawn from,
       * in nats, both at the sampling temperature; null where not finite.
       */
      response: z.array(
        z.object({ token: z.string(), logProb: z.number().nullable(), entropy: z.number().nullable().optional() }),
      ),
      /** Of a language model, whose tokens one by one do not spell it: what its environment read, and their numbers. */
      written: z.object({ text: z.string(), tokens: z.array(z.int()) }).optional(),
      action: z.string(),
      reward: z.number(),
      isFormatValid: z.boolean(),
      isActionValid: z.boolean(),
    }),
  ),
});
export type SampleEpisode = z.infer<typeof SampleEpisode>;
