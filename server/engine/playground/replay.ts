import { z } from "zod";
import { runsPython } from "#trainer/programs/packageArgs.ts";
import { EnvironmentSpec, splitOf } from "#trainer/spec/environment.ts";
import { packagesOf } from "#trainer/spec/environmentParts.ts";
import { type Episode, familyOf, makeTaskFamily, type TaskFamily } from "#trainer/environments/episode.ts";
import { NoTask } from "#trainer/environments/environment.ts";
import { loadPrograms } from "#trainer/programs/openPrograms.ts";
import { AppError, formatCount } from "#packages/base";
import type { Message, Moment, Passage, Play, PlayedTurn, Position, Reply } from "./play.ts";
import { makeRecent } from "./recent.ts";

/** State of a played episode. `prompt`, `conversation`: prompt of the next response, as text and as messages. */
export type Played = Pick<Moment, "turns" | "shape" | "prompt" | "conversation"> & {
  family: TaskFamily;
  episode: Episode;
};

/** Caches environments with their task catalogues and generators for the next request, by specification. */
const families = makeRecent<TaskFamily>(8, {
  make: async (key) => {
    const [environment, folder] = Key.parse(JSON.parse(key));
    const packages = { names: packagesOf(environment), folder };
    return makeTaskFamily(environment, runsPython(environment) ? await loadPrograms(packages) : undefined);
  },
});

const Key = z.tuple([EnvironmentSpec, z.string()]);

/** Replays an episode from its start, cheaply, so none is stored. `packagesFolder` contains the packages' wheels. */
export function replay({ environment, ...play }: Play, packagesFolder: string): Promise<Played> {
  return families.use(JSON.stringify([environment, packagesFolder]), (family) => replayIn(family, play));
}

function replayIn(several: TaskFamily, play: Omit<Play, "environment">): Played {
  const { seed, historyLength, replies } = play;
  const family = familyOf(several, seed);
  const shape = play.shape ?? family.shape;
  const turns: PlayedTurn[] = [];
  const transcript: Passage[] = [];
  const conversation: Message[] = [];
  let episode = start(family, seed);
  for (const reply of replies) {
    if (episode.ending !== "ongoing") {
      throw new AppError(
        "bad_input",
        `the episode was ${episode.ending} after ${formatCount(turns.length, "turn")}, but there are ${replies.length} replies`,
      );
    }
    const { text, words } = readReply(family, reply);
    transcript.push({ author: "environment", words: episode.continuation() }, { author: "policy", words });
    const written = { author: "policy", text, ...(reply.kind === "tokens" && { tokens: reply.tokens }) } as const;
    conversation.push({ author: "environment", text: speakOf(episode) }, written);
    const { observation } = episode;
    const { episode: next, action, reward, isFormatValid, isActionValid } = episode.respond(text);
    turns.push({ observation, response: text, action, reward, isFormatValid, isActionValid });
    episode = next;
  }
  const author = "environment" as const;
  const read =
    shape === "windowed"
      ? {
          prompt: [{ author, words: episode.prompt(historyLength) }],
          conversation: [{ author, text: episode.fullPrompt(historyLength) }],
        }
      : {
          prompt: [...transcript, { author, words: episode.continuation() }],
          conversation: [...conversation, { author, text: speakOf(episode) }],
        };
  return { family, episode, turns, shape, ...read };
}

/** Returns the environment's message before the next response: the full prompt in turn 0, later the continuation. */
function speakOf(episode: Episode): string {
  return episode.turn === 0 ? episode.fullPrompt(0) : episode.fullContinuation();
}

/** Starts an episode. Valid difficulty parameters may together allow no task; the user then sees the error. */
function start(family: TaskFamily, seed: number): Episode {
  try {
    return family.start(seed);
  } catch (cause) {
    if (!(cause instanceof NoTask)) throw cause;
    throw new AppError("bad_input", `environment: ${cause.message}`, { cause });
  }
}

/** Special tokens of small policies, which are left out when a response is converted to text. */
const silent = new Set(["<pad>", "<bos>", "<eos>"]);

function readReply(family: TaskFamily, reply: Reply): { text: string; words: string } {
  switch (reply.kind) {
    case "words": {
      const words = reply.words.split(" ").filter((word) => !silent.has(word));
      return { text: family.fromWords(words.join(" ")), words: reply.words };
    }
    case "action":
      return withWords(family, family.formatResponse({ thought: "", action: reply.action }));
    case "response":
    case "tokens":
      return withWords(family, reply.text);
  }
}

function withWords(family: TaskFamily, text: string): { text: string; words: string } {
  return { text, words: `${family.toWords(text)} <eos>` };
}

export function toMoment(played: Played, { seed }: Pick<Play, "seed">): Moment {
  const { family, episode, ...read } = played;
  const isOngoing = episode.ending === "ongoing";
  const known = new Set([...family.words, ...silent]);
  const words = read.prompt.flatMap((passage) => passage.words.split(" "));
  return {
    seed,
    split: splitOf(seed),
    task: episode.task(),
    taskType: episode.taskType,
    observation: episode.observation,
    scene: episode.scene(),
    ending: episode.ending,
    isSuccess: episode.isSuccess,
    score: family.hasScore ? episode.score : undefined,
    maxTurns: family.maxTurns,
    admissible: isOngoing ? episode.admissibleActions() : [],
    optimalLength: isOngoing ? episode.optimalLength() : undefined,
    unknownWords: [...new Set(words)].filter((word) => word !== "" && !known.has(word)),
    ...read,
  };
}

export function toPosition({ family, episode, prompt, conversation }: Played): Position {
  const { ending } = episode;
  const actions = ending === "ongoing" ? episode.admissibleActions() : [];
  return {
    ending,
    prompt,
    conversation,
    admissible: actions.map((action) => ({ action, words: family.toWords(action) })),
  };
}

/** Returns the expert's next response in the episode's current state. Throws `bad_input` if the episode is over. */
export function expertResponse({ episode }: Played): string {
  if (episode.ending !== "ongoing") {
    throw new AppError("bad_input", `the episode is over (${episode.ending}): there is nothing to answer`);
  }
  return episode.expertResponse();
}
