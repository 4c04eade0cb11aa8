import { chooseToken } from "#trainer/policy/chooseToken.ts";
import type { ExportedPolicy } from "#trainer/policy/exportedPolicy.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import { AppError, formatCount } from "#packages/base";
import type { Position, Reply } from "./play.ts";
import { type ActionScores, scoreActions, type TopToken, topTokens } from "./scoreActions.ts";

export type ProposedToken = {
  token: number;
  text: string;
  /** Probability at the sampling temperature (1 if greedy), at which entropy and `topTokens` are computed too. */
  probability: number;
  /** Entropy in nats of the distribution over tokens from which this token was sampled. */
  entropy: number;
  /** Tokens of highest probability at this position, which may include the sampled token. */
  topTokens: TopToken[];
};

export type Proposal = {
  tokens: ProposedToken[];
  reply: Reply;
  /** True if the response reached its maximum length without an end token. */
  isCut: boolean;
  actions: ActionScores;
  /** Prompt that a language model read, including the special tokens of its chat template. */
  read?: { text: string; numTokens: number; contextTokens: number };
};

export type Sampling = {
  /** Sampling temperature; 0 means greedy. */
  temperature: number;
  maxResponseTokens: number;
  rng: Rng;
};

/**
 * Generates a small policy's response, token by token, reading the whole context each time. This is slower than the
 * trainer's sampler, but runs exactly the exported file that others would deploy.
 */
export async function propose(policy: ExportedPolicy, position: Position, sampling: Sampling): Promise<Proposal> {
  refuseOver(position);
  const { contextTokens, eosToken, words } = policy.vocabulary;
  const piece = (token: number): string => words[token] ?? "<unk>";
  const prompt = policy.encode(position.prompt.map((passage) => passage.words).join(" "));
  const room = Math.min(sampling.maxResponseTokens, contextTokens - prompt.length);
  if (room < 1) {
    throw new AppError(
      "bad_input",
      `the prompt has ${formatCount(prompt.length, "token")}; the policy's context is ${contextTokens}`,
    );
  }
  const { temperature, rng } = sampling;
  const tokens: ProposedToken[] = [];
  const response: number[] = [];
  while (response.length < room && response.at(-1) !== eosToken) {
    const context = Int32Array.of(...prompt, ...response);
    const [logits] = await policy.logitsAfter(context, context.length - 1);
    if (!logits) throw new AppError("internal", "the policy gave no logits");
    const { token, logProb, entropy } = chooseToken(logits, { temperature, topK: 0, topP: 1 }, rng);
    response.push(token);
    const alternatives = topTokens(logits, temperature === 0 ? 1 : temperature, piece);
    tokens.push({ token, text: piece(token), probability: Math.exp(logProb), entropy, topTokens: alternatives });
  }
  const actions = await scoreActions(policy, position, {
    prompt,
    response,
    temperature: temperature === 0 ? 1 : temperature,
  });
  const isCut = response.at(-1) !== eosToken;
  return { tokens, reply: { kind: "words", words: tokens.map(({ text }) => text).join(" ") }, isCut, actions };
}

export function refuseOver({ ending }: Position): void {
  if (ending === "ongoing") return;
  throw new AppError("bad_input", `the episode is over (${ending}): there is nothing to answer`);
}
