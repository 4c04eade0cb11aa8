import { z } from "zod";
import { EnvironmentSpec, splitOf, taskSeeds, type Split } from "#trainer/spec/environment.ts";
import { RolloutShape } from "#trainer/spec/run.ts";
import type { Ending } from "#trainer/environments/environment.ts";
import { makeTaskFamily, type Episode, type TaskFamily } from "#trainer/environments/episode.ts";
import { AppError } from "../domain/errors.ts";
import { makeRecent } from "./recent.ts";

const mostCharacters = 20_000;
const Text = z
  .string()
  .max(mostCharacters, { error: `longer than ${mostCharacters.toLocaleString("en-US")} characters` });

/** One answer to an episode, as a person types it or as a policy wrote it. */
export const Reply = z.discriminatedUnion("kind", [
  /** A whole response, tags and all. */
  z.strictObject({ kind: z.literal("response"), text: Text }),
  /** An action alone; it is put into a valid response without a thought. */
  z.strictObject({ kind: z.literal("action"), action: Text }),
  /** A policy's tokens joined by spaces, end token included. */
  z.strictObject({ kind: z.literal("words"), words: Text }),
]);
export type Reply = z.infer<typeof Reply>;

/** An episode as a value: where it begins, how its prompts are made, and everything that was answered so far. */
export const Play = z.strictObject({
  environment: EnvironmentSpec,
  seed: z
    .int()
    .min(0)
    .max(taskSeeds.unseen.to - 1),
  /** Null: as the environment's paper has it. */
  shape: RolloutShape.nullable().default(null),
  historyLength: z.int().min(0).max(16).default(2),
  replies: z.array(Reply).max(1000),
});
export type Play = z.infer<typeof Play>;

export type PlayedTurn = {
  /** What was answered with this turn's response. */
  observation: string;
  /** As the environment read it. */
  response: string;
  action: string;
  reward: number;
  isFormatValid: boolean;
  isActionValid: boolean;
};

/** A stretch of the policy's prompt, as words of its vocabulary. In a transcript the policy reads its own responses. */
export type Passage = { author: "environment" | "policy"; words: string };

export type Played = {
  family: TaskFamily;
  episode: Episode;
  turns: PlayedTurn[];
  shape: RolloutShape;
  /** Everything the policy reads before its next response. */
  prompt: Passage[];
};

/** What a moment of an episode looks like from outside. */
export type Moment = {
  seed: number;
  split: Split;
  task: string;
  taskType: string | undefined;
  observation: string;
  ending: Ending;
  isSuccess: boolean;
  /** Undefined where the environment has no score beside success. */
  score: number | undefined;
  maxTurns: number;
  turns: PlayedTurn[];
  admissible: readonly string[];
  /** Turns of a shortest solution from here, where the environment can tell. */
  optimalLength: number | undefined;
  shape: RolloutShape;
  prompt: Passage[];
  /** Words of the prompt that a policy's vocabulary lacks; it reads them as unknown. */
  unknownWords: string[];
  /** The prompt of a large language model. */
  fullPrompt: string;
};

/** Catalogues and sandboxes are kept for the next move; at most this many, by difficulty. */
const families = makeRecent<TaskFamily>(8, {
  make: (key) => makeTaskFamily(EnvironmentSpec.parse(JSON.parse(key))),
});

/** Plays all replies from the beginning: episodes are immutable and cheap, so nobody has to remember one. */
export function replay({ environment, ...play }: Play): Promise<Played> {
  return families.use(JSON.stringify(environment), (family) => replayIn(family, play));
}

function replayIn(family: TaskFamily, play: Omit<Play, "environment">): Played {
  const { seed, historyLength, replies } = play;
  const shape = play.shape ?? family.shape;
  const turns: PlayedTurn[] = [];
  const transcript: Passage[] = [];
  let episode = family.start(seed);
  for (const reply of replies) {
    if (episode.ending !== "ongoing") {
      throw new AppError(
        "bad_input",
        `the episode was ${episode.ending} after ${turns.length} turns, but there are ${replies.length} replies`,
      );
    }
    const { text, words } = read(family, reply);
    transcript.push({ author: "environment", words: episode.continuation() }, { author: "policy", words });
    const { observation } = episode;
    const { episode: next, action, reward, isFormatValid, isActionValid } = episode.respond(text);
    turns.push({ observation, response: text, action, reward, isFormatValid, isActionValid });
    episode = next;
  }
  const prompt: Passage[] =
    shape === "windowed"
      ? [{ author: "environment", words: episode.prompt(historyLength) }]
      : [...transcript, { author: "environment", words: episode.continuation() }];
  return { family, episode, turns, shape, prompt };
}

/** Tokens that are no words of a text. */
const silent = new Set(["<pad>", "<bos>", "<eos>"]);

function read(family: TaskFamily, reply: Reply): { text: string; words: string } {
  switch (reply.kind) {
    case "words": {
      const words = reply.words.split(" ").filter((word) => !silent.has(word));
      return { text: family.fromWords(words.join(" ")), words: reply.words };
    }
    case "action":
      return withWords(family, family.formatResponse({ thought: "", action: reply.action }));
    case "response":
      return withWords(family, reply.text);
  }
}

function withWords(family: TaskFamily, text: string): { text: string; words: string } {
  return { text, words: `${family.toWords(text)} <eos>` };
}

export function toMoment(played: Played, { seed, historyLength }: Pick<Play, "seed" | "historyLength">): Moment {
  const { family, episode, turns, shape, prompt } = played;
  const isOngoing = episode.ending === "ongoing";
  const known = new Set([...family.words, ...silent]);
  const words = prompt.flatMap((passage) => passage.words.split(" "));
  return {
    seed,
    split: splitOf(seed),
    task: episode.task(),
    taskType: episode.taskType,
    observation: episode.observation,
    ending: episode.ending,
    isSuccess: episode.isSuccess,
    score: family.hasScore ? episode.score : undefined,
    maxTurns: family.maxTurns,
    turns,
    admissible: isOngoing ? episode.admissibleActions() : [],
    optimalLength: isOngoing ? episode.optimalLength() : undefined,
    shape,
    prompt,
    unknownWords: [...new Set(words)].filter((word) => word !== "" && !known.has(word)),
    fullPrompt: episode.fullPrompt(historyLength),
  };
}

/** What the expert would answer now. */
export function expertResponse({ episode }: Played): string {
  if (episode.ending !== "ongoing") {
    throw new AppError("bad_input", `the episode is over (${episode.ending}): there is nothing to answer`);
  }
  return episode.expertResponse();
}
