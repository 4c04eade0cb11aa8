import { z } from "zod";
import type { SampleEpisode } from "#trainer/spec/sample.ts";
import { parseJson, makeUnread } from "#packages/trainers";
import type { ForeignFile } from "../foreignRun.ts";
import { describeStrata, type ResponseTokens } from "./strata.ts";

const Numbers = z.array(z.number());

/** A response with its prompt, as verl and its forks write it. */
const Rollout = z.object({
  input: z.string(),
  output: z.string(),
  score: z.number(),
  step: z.int().min(0),
  acc: z.union([z.number(), z.boolean()]).optional(),
  data_source: z.string().optional(),
});

/**
 * Tokens of a response, which ARLArena's recipes write after all rollouts: padded to one width, in the actor's order.
 */
const Tokens = z.object({
  log_probs: Numbers,
  old_log_probs: Numbers,
  entropy: Numbers,
  ref_log_probs: Numbers.optional(),
  advantages: z.union([z.number(), Numbers]),
});

/** Maximum number of episodes kept per step; a dump has thousands of responses. */
const maxEpisodes = 16;

export function isRolloutDump(text: string): boolean {
  const [first = ""] = text.trimStart().split("\n", 1);
  return first.startsWith("{") && Rollout.safeParse(parseJson(first)).success;
}

/**
 * Reads a file of verl's `rollout_data_dir`: the responses of one step, one per line, in ARLArena followed by per-token
 * values. Token values become the step's strata. The first responses become one-turn episodes, because the dump does
 * not group turns by episode.
 */
export function readRolloutDump(text: string): ForeignFile {
  const unread = makeUnread();
  const responses: ResponseTokens[] = [];
  const episodes: SampleEpisode[] = [];
  let [step, numRollouts] = [0, 0];
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const parsed = parseJson(line);
    const rollout = Rollout.safeParse(parsed).data;
    const tokens = rollout ? undefined : Tokens.safeParse(parsed).data;
    if (rollout) {
      step = rollout.step;
      if (episodes.length < maxEpisodes) episodes.push(toEpisode(rollout, numRollouts));
      numRollouts += 1;
    } else if (tokens) responses.push(withoutPadding(tokens));
    else unread.add(line);
  }
  const values = { ...describeStrata(responses), "rollouts/number": numRollouts };
  // The note is the same for every step, so a run has it once.
  const shown = numRollouts > episodes.length ? [`of each step's rollouts the first ${maxEpisodes} are kept`] : [];
  const missing = responses.length === 0 ? ["rollouts without log-probabilities give no strata"] : [];
  return {
    format: "rollouts",
    runs: [{ name: "", lines: [{ step, values }], episodes }],
    notes: [...shown, ...missing],
    unread: unread.read(),
  };
}

/**
 * Removes padding after the response. Its log-probabilities are exactly zero, which only a deterministic policy has.
 */
function withoutPadding(tokens: z.infer<typeof Tokens>): ResponseTokens {
  const { log_probs, old_log_probs, entropy, ref_log_probs, advantages } = tokens;
  const length = 1 + log_probs.findLastIndex((logProb, t) => logProb !== 0 || (old_log_probs[t] ?? 0) !== 0);
  const cut = (values: readonly number[]) => values.slice(0, length);
  return {
    logProbs: cut(log_probs),
    oldLogProbs: cut(old_log_probs),
    entropies: cut(entropy),
    referenceLogProbs: ref_log_probs && cut(ref_log_probs),
    advantages: typeof advantages === "number" ? advantages : cut(advantages),
  };
}

/** A dump contains text and score only, neither the environment's reply nor tokens. */
function toEpisode(rollout: z.infer<typeof Rollout>, index: number): SampleEpisode {
  const { input, output, score, step, acc, data_source } = rollout;
  // Split by words so that lines can wrap; the original tokens are unknown.
  const response = (output.match(/\s*\S+/g) ?? []).map((token) => ({ token, logProb: null, entropy: null }));
  const action = /<action>([\s\S]*?)<\/action>/.exec(output)?.[1]?.trim() ?? "";
  const turn = { prompt: input, response, action, reward: score, isFormatValid: true, isActionValid: true };
  return {
    v: 1,
    iteration: step,
    seed: index,
    ...(data_source !== undefined && { taskType: data_source }),
    isSuccess: acc === undefined ? score > 0 : Number(acc) === 1,
    episodeReward: score,
    turns: [turn],
  };
}
