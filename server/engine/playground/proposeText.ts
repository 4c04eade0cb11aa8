import {
  type LogitNoise,
  makeSampler,
  type Response,
  type SampleRequest,
  type SamplerLimits,
} from "#trainer/policy/decode.ts";
import { layOutFirst, layOutNext } from "#trainer/policy/text/layOut.ts";
import type { TextTokenizer } from "#trainer/policy/text/readTokenizer.ts";
import { AppError, formatCount } from "#packages/base";
import { split } from "#trainer/spec/rng.ts";
import { type OpenModel, rowsAtOnce } from "./models.ts";
import type { Message, Position } from "./play.ts";
import { type Proposal, refuseOver, type Sampling } from "./propose.ts";
import { type ActionScores, logSoftmax, maxActions, type TopToken, topTokens, toScores } from "./scoreActions.ts";

/** Generates a language model's response with the trainer's sampler, which reads the conversation once. */
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
  // A greedy response (temperature 0) reports the probabilities of its tokens at temperature 1.
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

/** Tokenizes a conversation as in training: messages by the chat template, responses by their original tokens. */
function readConversation(conversation: readonly Message[], tokenizer: TextTokenizer): Int32Array {
  const parts = conversation.map(({ author, text, tokens }, i) => {
    if (author === "environment") {
      return tokenizer.encode(i === 0 ? layOutFirst(text, tokenizer) : layOutNext(text, tokenizer));
    }
    return tokens ?? [...tokenizer.encode(text), tokenizer.eosToken];
  });
  return Int32Array.from(parts.flatMap((part) => [...part]));
}

type Written = { prompt: Int32Array; response: readonly number[]; temperature: number };

/**
 * Returns each admissible action's relative probability after the model's own thought, like `scoreActions`. Actions are
 * formatted as in the response, and their common prefix is read once.
 */
export async function scoreTexts(
  model: OpenModel,
  { admissible }: Position,
  { prompt, response, temperature }: Written,
): Promise<ActionScores> {
  const { config, tokenizer, memoryBytes } = model;
  const place = findAction(response, tokenizer.decode);
  if (!place) return { kind: "none", reason: "the response has no <action>: there is nowhere to put one" };
  if (admissible.length === 0) return { kind: "none", reason: "this environment lists no actions here" };
  const layOut = (action: string): Int32Array => tokenizer.encode(`${place.lead}${action}${place.tail}`);
  const rows = admissible.map(({ action }) => ({ action, tokens: layOut(action) }));
  // Tokens that all formatted actions share, such as the opening tag, are read once as context.
  const shared = sharedBeginning([tokenizer.encode(place.lead), ...rows.map(({ tokens }) => tokens)]);
  const context = Int32Array.of(...prompt, ...response.slice(0, place.numTokens), ...shared);
  const batch = rowsAtOnce(config, memoryBytes, maxActions);
  const fitting = rows.filter(({ tokens }) => context.length + tokens.length - shared.length <= config.contextTokens);
  const scored = fitting.slice(0, batch);
  const forced = scored.map(({ tokens }) => tokens.slice(shared.length));
  const logProbs = await scoreRows(model, { context, forced, temperature });
  return toScores(
    scored.map(({ action }, i) => ({
      action,
      logProb: logProbs[i] ?? NaN,
      isChosen: action.toLowerCase() === place.action,
    })),
    admissible.length,
  );
}

const tag = /<action>(\s*)(.*?)(\s*)(<\/action>|$)/is;

type Place = {
  /** Number of response tokens before the token in which the action's opening tag begins. */
  numTokens: number;
  /** Text of the response from the start of the opening tag's first token up to the action. */
  lead: string;
  /** Text from the end of the action on, including the closing tag. */
  tail: string;
  /** The action in the response, as environments parse it. */
  action: string;
};

/** Finds the action between its tags. A token may end anywhere, also within a tag. */
function findAction(response: readonly number[], decode: (tokens: readonly number[]) => string): Place | undefined {
  const text = decode(response);
  const found = tag.exec(text);
  if (!found) return undefined;
  const [, before = "", action = "", after = "", closing = ""] = found;
  const starts = response.map((_, i) => decode(response.slice(0, i)));
  const numTokens = starts.findLastIndex((start) => start.length <= found.index && text.startsWith(start));
  const lead = `${text.slice(starts[numTokens]?.length ?? 0, found.index)}<action>${before}`;
  return { numTokens, lead, tail: `${closing === "" ? before : after}</action>`, action: action.toLowerCase() };
}

function sharedBeginning(rows: readonly Int32Array[]): Int32Array {
  const [first = new Int32Array()] = rows;
  const end = first.findIndex((token, i) => rows.some((row) => row[i] !== token));
  return end === -1 ? first : first.slice(0, end);
}

type Rows = { context: Int32Array; forced: readonly Int32Array[]; temperature: number };

/** Returns the log-probability of each token sequence after the context, by forcing the sampler's choices. */
async function scoreRows(model: OpenModel, rows: Rows): Promise<number[]> {
  const { tokenizer } = model;
  const { context, forced, temperature } = rows;
  if (forced.length === 0) return [];
  const logProbs = forced.map(() => 0);
  const noises = forced.map((tokens, row): LogitNoise => {
    let at = 0;
    return (logits) => {
      const token = tokens[at] ?? tokenizer.eosToken;
      logProbs[row] = (logProbs[row] ?? NaN) + (logSoftmax(logits, temperature)[token] ?? NaN);
      at += 1;
      // A sequence ends after its last token, because no further probability is needed.
      return onlyToken(at < tokens.length ? token : tokenizer.eosToken, logits.length);
    };
  });
  const maxResponseTokens = forced.reduce((most, { length }) => Math.max(most, length), 1);
  await sampleOnce(
    model,
    { batch: forced.length, maxPromptTokens: context.length, maxResponseTokens },
    {
      prompts: forced.map(() => context),
      rngs: forced.map((_, row) => split(0, "forced", row)),
      temperature: 0,
      noises,
    },
  );
  return logProbs;
}

function onlyToken(token: number, numTokens: number): Float32Array {
  return new Float32Array(numTokens).fill(-Infinity).fill(0, token, token + 1);
}

type Asked = Omit<SampleRequest, "parameters" | "stopTokens">;

/** Samples responses and releases the model's graphs, which use as much memory as the prefill. */
async function sampleOnce(
  { config, tokenizer, parameters }: OpenModel,
  limits: SamplerLimits,
  asked: Asked,
): Promise<Response[]> {
  const sampler = makeSampler(config, limits);
  try {
    return await sampler.sample({ ...asked, parameters, stopTokens: tokenizer.stopTokens });
  } finally {
    await sampler.close();
  }
}
