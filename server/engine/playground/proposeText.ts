import { layOutFirst, layOutNext } from "#trainer/policy/text/layOut.ts";
import type { TextTokenizer } from "#trainer/policy/text/readTokenizer.ts";
import { AppError, formatCount } from "#packages/base";
import type { OpenModel } from "./models.ts";
import type { Message, Position } from "./play.ts";
import { refuseOver, type Proposal, type Sampling } from "./propose.ts";
import { sampleOnce } from "./sampleOnce.ts";
import { scoreTexts } from "./scoreTexts.ts";
import { topTokens, type TopToken } from "./topTokens.ts";

/**
 * Generates a language model's response to a moment, token by token: the conversation in its chat template, prefilled
 * once by the trainer's sampler.
 */
export async function proposeText(model: OpenModel, position: Position, sampling: Sampling): Promise<Proposal> {
  refuseOver(position);
  const { config, tokenizer } = model;
  const { maxResponseTokens, rng } = sampling;
  const prompt = readConversation(position.conversation, tokenizer);
  const room = config.contextTokens - maxResponseTokens;
  if (prompt.length > room) {
    throw new AppError(
      "bad_input",
      `the prompt has ${formatCount(prompt.length, "token")}; a context of ${config.contextTokens} leaves room for ${room} before a response of ${maxResponseTokens}`,
    );
  }
  // Alternatives of a greedy choice are at temperature 1, like its probability.
  const temperature = sampling.temperature === 0 ? 1 : sampling.temperature;
  const alternatives: TopToken[][] = [];
  const watch = (logits: Float32Array): Float32Array => {
    alternatives.push(topTokens(logits, temperature, tokenizer.piece));
    return logits;
  };
  const [response] = await sampleOnce(
    model,
    { batch: 1, maxPromptTokens: room, maxResponseTokens },
    { prompts: [prompt], rngs: [rng], temperature: sampling.temperature, noises: [watch] },
  );
  if (!response) throw new AppError("internal", "the model gave no response");
  const { logProbs, entropies, isCut } = response;
  const tokens = [...response.tokens];
  return {
    tokens: tokens.map((token, i) => ({
      token,
      text: tokenizer.piece(token),
      probability: Math.exp(logProbs[i] ?? NaN),
      entropy: entropies[i] ?? NaN,
      topTokens: alternatives[i] ?? [],
    })),
    reply: { kind: "tokens", text: tokenizer.decode(tokens), tokens },
    isCut,
    actions: await scoreTexts(model, position, { prompt, response: tokens, temperature }),
    read: { text: tokenizer.transcribe(prompt), numTokens: prompt.length, contextTokens: config.contextTokens },
  };
}

/** Tokens as in training: environment messages through the template, responses by their original tokens. */
function readConversation(conversation: readonly Message[], tokenizer: TextTokenizer): Int32Array {
  const parts = conversation.map(({ author, text, tokens }, i) => {
    if (author === "environment") {
      return tokenizer.encode(i === 0 ? layOutFirst(text, tokenizer) : layOutNext(text, tokenizer));
    }
    return tokens ?? [...tokenizer.encode(text), tokenizer.eosToken];
  });
  return Int32Array.from(parts.flatMap((part) => [...part]));
}
