import { z } from "zod";
import type { SampleEpisode } from "#trainer/spec/sample.ts";
import { parseJson } from "#server/domain/external/pythonJson.ts";
import { makeUnread } from "#server/domain/external/unread.ts";
import type { ForeignFile } from "../foreignRun.ts";
import { describeStrata, type ResponseTokens } from "./strata.ts";

const Numbers = z.array(z.number());

/** A response with its prompt: verl and all that came of it. */
const Rollout = z.object({
  input: z.string(),
  output: z.string(),
  score: z.number(),
  step: z.int().min(0),
  acc: z.union([z.number(), z.boolean()]).optional(),
  data_source: z.string().optional(),
});

/** Its tokens, as ARLArena's recipes write them after all rollouts: padded to one width, in the actor's order. */
const Tokens = z.object({
  log_probs: Numbers,
  old_log_probs: Numbers,
  entropy: Numbers,
  ref_log_probs: Numbers.optional(),
  advantages: z.union([z.number(), Numbers]),
});

/** Episodes of one step that are kept for reading: a dump has thousands of responses a step. */
const mostEpisodes = 16;

export function isRolloutDump(text: string): boolean {
  const [first = ""] = text.trimStart().split("\n", 1);
  return first.startsWith("{") && Rollout.safeParse(parseJson(first)).success;
}

/**
 * A file of verl's `rollout_data_dir`: the responses of one step, a line each, in ARLArena with their tokens' numbers
 * below. What the tokens tell becomes the step's strata; the first responses become episodes of one turn, because the
 * dump does not say which turns are of one episode.
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
      if (episodes.length < mostEpisodes) episodes.push(toEpisode(rollout, numRollouts));
      numRollouts += 1;
    } else if (tokens) responses.push(withoutPadding(tokens));
    else unread.add(line);
  }
  const values = { ...describeStrata(responses), "rollouts/number": numRollouts };
  // The same words for every step: a run says them once.
  const shown = numRollouts > episodes.length ? [`of each step's rollouts the first ${mostEpisodes} are kept`] : [];
  const missing = responses.length === 0 ? ["rollouts without log-probabilities give no strata"] : [];
  return {
    format: "rollouts",
    runs: [{ name: "", lines: [{ step, values }], episodes }],
    notes: [...shown, ...missing],
    unread: unread.read(),
  };
}

/** Padding follows the response; its log-probabilities are zeros, which no policy but a certain one has. */
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

/** The dump has a text and a score: what an environment made of an answer, and its tokens one by one, it does not tell. */
function toEpisode(rollout: z.infer<typeof Rollout>, index: number): SampleEpisode {
  const { input, output, score, step, acc, data_source } = rollout;
  // Word by word, so that lines can break: which tokens they were is not told.
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
