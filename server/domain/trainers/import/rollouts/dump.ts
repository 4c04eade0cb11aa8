import { medianOf } from "#trainer/spec/averages.ts";
import { z } from "zod";
import { strata } from "#trainer/spec/metric.ts";
import type { StoredEpisode } from "#trainer/spec/storedEpisode.ts";
import { makeUnread, parseJson } from "#packages/trainers";
import type { ForeignFile } from "../foreignRun.ts";
import { type Rollout as Episode, toGroups } from "./groups.ts";

const Numbers = z.array(z.number());

/** A response with its prompt, as verl and its forks write it to a file. */
const Rollout = z.object({
  input: z.string(),
  output: z.string(),
  score: z.number(),
  step: z.int().min(0),
  acc: z.union([z.number(), z.boolean()]).optional(),
  data_source: z.string().optional(),
});

/**
 * Log-probabilities, entropies and advantages of the tokens of one response. ARLArena's recipes write them after all
 * responses, padded to one width, in the order of the actor's batch rows.
 */
const Tokens = z.object({
  log_probs: Numbers,
  old_log_probs: Numbers,
  entropy: Numbers,
  ref_log_probs: Numbers.optional(),
  advantages: z.union([z.number(), Numbers]),
});

/** Maximum number of episodes stored per step, since a step has thousands of responses. */
const maxEpisodes = 16;

export function isRolloutDump(text: string): boolean {
  const [first = ""] = text.trimStart().split("\n", 1);
  return first.startsWith("{") && Rollout.safeParse(parseJson(first)).success;
}

/**
 * Reads a file of verl's `rollout_data_dir`: the responses of one step, one per line, followed in ARLArena by per-token
 * values. Token values are summarised by strata (`describeStrata`). The first responses become one-turn episodes,
 * because the file does not group turns by episode.
 */
export function readRolloutDump(text: string): ForeignFile {
  const unread = makeUnread();
  const responses: ResponseTokens[] = [];
  const episodes: StoredEpisode[] = [];
  const ofGroups: Episode[] = [];
  let [step, numRollouts] = [0, 0];
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const parsed = parseJson(line);
    const rollout = Rollout.safeParse(parsed).data;
    const tokens = rollout ? undefined : Tokens.safeParse(parsed).data;
    if (rollout) {
      step = rollout.step;
      if (episodes.length < maxEpisodes) episodes.push(toEpisode(rollout, numRollouts));
      ofGroups.push(toMember(rollout));
      numRollouts += 1;
    } else if (tokens) responses.push(withoutPadding(tokens));
    else unread.add(line);
  }
  const values = { ...describeStrata(responses), "rollouts/number": numRollouts };
  // Every step has the same note about omitted responses, so that the note is listed once per run.
  const shown = numRollouts > episodes.length ? [`the first ${maxEpisodes} rollouts of each step are imported`] : [];
  const missing = responses.length === 0 ? ["rollouts without log-probabilities have no token strata"] : [];
  const { groups, notes } = toGroups(ofGroups);
  return {
    format: "rollouts",
    runs: [{ name: "", lines: [{ step, values }], episodes, groups }],
    notes: [...shown, ...notes, ...missing],
    unread: unread.read(),
  };
}

/** Removes the padding after a response: there log-probabilities are exactly zero, which those of tokens are not. */
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

/** Makes a one-turn episode: the file has only text and score, without the environment's reply and tokens. */
function toEpisode(rollout: z.infer<typeof Rollout>, index: number): StoredEpisode {
  const { input, output, score, step, data_source } = rollout;
  // The response is split into words so that lines can wrap; its original tokens are unknown.
  const response = (output.match(/\s*\S+/g) ?? []).map((token) => ({ token, logProb: null, entropy: null }));
  const action = /<action>([\s\S]*?)<\/action>/.exec(output)?.[1]?.trim() ?? "";
  const turn = { prompt: input, response, action, reward: score, isFormatValid: true, isActionValid: true };
  return {
    v: 1,
    iteration: step,
    seed: index,
    ...(data_source !== undefined && { taskType: data_source }),
    isSuccess: isSolved(rollout),
    episodeReward: score,
    turns: [turn],
  };
}

function isSolved({ acc, score }: z.infer<typeof Rollout>): boolean {
  return acc === undefined ? score > 0 : Number(acc) === 1;
}

/** Responses to equal inputs are one group; the dump has neither advantages nor tokens in the order of responses. */
function toMember(rollout: z.infer<typeof Rollout>): Episode {
  const { input, output, score, step } = rollout;
  const turns = [{ prompt: input, response: output, reward: score }];
  return { step, task: input, turns, return: score, advantage: null, isSuccess: isSolved(rollout), behind: null };
}

/** Values of the tokens of one response; all arrays have the same length. Log-probabilities are in nats. */
export type ResponseTokens = {
  /** Log-probabilities of the tokens after the update; `oldLogProbs` are those before it. */
  logProbs: readonly number[];
  oldLogProbs: readonly number[];
  entropies: readonly number[];
  referenceLogProbs: readonly number[] | undefined;
  /** One advantage for the whole response, or one per token. */
  advantages: number | readonly number[];
};

/** Tolerance of a log-ratio: log-ratios between equal policies differ from 0 by rounding, and count as 0 within it. */
const rounding = 1e-5;
/** Limits to which the trainers clamp the log-ratio (before the exponential) and the k3 estimate. */
const [maxLogRatio, maxK3] = [20, 10];

/**
 * Computes the fractions in ARLArena's Figure 4 for one step: of tokens, and of the KL to the reference (k3) if
 * available. A stratum combines the advantage's sign, a ratio above or below 1, and an entropy below the step's median
 * or not. Tokens without an advantage are in no stratum. The ratio's mean and extremes are also returned.
 */
export function describeStrata(responses: readonly ResponseTokens[]): Record<string, number> {
  const threshold = medianOf(responses.flatMap(({ entropies }) => entropies));
  const tokens = new Float64Array(strata.length);
  const kls = new Float64Array(strata.length);
  const ratios = { sum: 0, count: 0, least: Infinity, most: -Infinity };
  for (const { logProbs, oldLogProbs, entropies, referenceLogProbs, advantages } of responses) {
    for (const [t, logProb] of logProbs.entries()) {
      const logRatio = bound(logProb - (oldLogProbs[t] ?? NaN));
      const ratio = Math.exp(logRatio);
      ratios.sum += ratio;
      ratios.count += 1;
      ratios.least = Math.min(ratios.least, ratio);
      ratios.most = Math.max(ratios.most, ratio);
      const advantage = typeof advantages === "number" ? advantages : (advantages[t] ?? 0);
      if (advantage === 0) continue;
      const stratum =
        (advantage > 0 ? 0 : 4) + (logRatio >= -rounding ? 0 : 2) + ((entropies[t] ?? NaN) >= threshold ? 0 : 1);
      tokens[stratum] = (tokens[stratum] ?? 0) + 1;
      if (referenceLogProbs) kls[stratum] = (kls[stratum] ?? 0) + k3(logProb, referenceLogProbs[t] ?? NaN);
    }
  }
  if (ratios.count === 0) return {};
  return {
    "policy/ratioMean": ratios.sum / ratios.count,
    "policy/ratioMin": ratios.least,
    "policy/ratioMax": ratios.most,
    ...sharesOf("strataTokens", tokens),
    ...sharesOf("strataKl", kls),
  };
}

function bound(logRatio: number): number {
  return Math.max(-maxLogRatio, Math.min(maxLogRatio, logRatio));
}

function k3(logProb: number, referenceLogProb: number): number {
  const z = bound(referenceLogProb - logProb);
  return Math.min(maxK3, Math.expm1(z) - z);
}

function sharesOf(group: string, parts: Float64Array): Record<string, number> {
  const total = parts.reduce((sum, x) => sum + x, 0);
  return total === 0 ? {} : Object.fromEntries(strata.map((name, i) => [`${group}/${name}`, (parts[i] ?? 0) / total]));
}
