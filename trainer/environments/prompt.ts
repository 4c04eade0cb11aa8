import type { Environment, PastTurn, PromptInput } from "./environment.ts";

/** Markup words of small policies' prompts and responses. Every vocabulary contains these words. */
export const grammarWords = ["<task>", "<obs>", "<sep>", ">", "<think>", "</think>", "<action>", "</action>"] as const;

/** Markup word before the notes in a small policy's prompt. A vocabulary contains it only if prompts contain notes. */
export const notesWord = "<notes>";

/** Markup words before and between listed admissible actions. A vocabulary has them only if prompts have the list. */
export const listWords = ["<actions>", "|"] as const;

type Renderer = Pick<Environment<never>, "toWords" | "instruction" | "maxWords">;

/**
 * Renders the prompt of a small policy as space-separated words: task, notes, current observation, then the last
 * turns, newest first. The current observation comes before the history, so that its tokens have the same positions
 * in every turn.
 */
export function renderCompact(
  environment: Renderer & {
    /** Converts an earlier turn's action to words: cut to an action's maximum length, with unknown words replaced. */
    toActionWords: (action: string) => string;
  },
  input: PromptInput,
  historyLength: number,
): string {
  const { toWords, toActionWords } = environment;
  const history = lastTurns(input.past, historyLength)
    .toReversed()
    .map(({ observation, action }) => toText(["<sep>", toWords(observation), ">", toActionWords(action)]));
  const notes = input.notes();
  return toText([
    "<task>",
    toWords(input.task),
    ...(notes === undefined ? [] : [notesWord, notes]),
    renderMoment(environment, input),
    ...history,
  ]);
}

/** Renders the words that one turn adds to a small policy's transcript. The first turn also adds the task. */
export function renderContinuation(environment: Renderer, input: PromptInput): string {
  const moment = renderMoment(environment, input);
  return input.past.length === 0 ? toText(["<task>", environment.toWords(input.task), moment]) : moment;
}

function renderMoment({ toWords, maxWords }: Renderer, { observation, admissibleActions }: PromptInput): string {
  const isListed = maxWords.admissible > 0;
  const list = isListed
    ? admissibleActions().flatMap((action, i) => [i === 0 ? "<actions>" : "|", toWords(action)])
    : [];
  return toText(["<obs>", toWords(observation), ...list]);
}

/** Joins texts by spaces and skips empty ones (an action can be empty), so that there is no double space. */
function toText(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}

/** Renders the prompt of a large language model with the fields of verl-agent's templates, in their order. */
export function renderFull(
  { instruction }: Pick<Renderer, "instruction">,
  input: PromptInput,
  historyLength: number,
): string {
  const { past } = input;
  const shown = lastTurns(past, historyLength);
  const progress =
    past.length === 0
      ? []
      : [
          `Your task is: ${input.task}.`,
          `You have taken ${past.length} step(s) so far. The last ${shown.length} observation(s) and action(s):`,
          toMemory(past, historyLength),
          `You are now at step ${past.length + 1}.`,
        ];
  return [
    instruction,
    ...progress,
    renderSituation(input),
    "First reason inside <think> </think> tags, then give one admissible action inside <action> </action> tags.",
  ].join("\n");
}

/** Renders the message that a later turn adds to a conversation: the observation and, if listed, the actions. */
export function renderFullContinuation({ maxWords }: Renderer, input: PromptInput): string {
  return maxWords.admissible === 0 ? input.observation : renderSituation(input);
}

function renderSituation({ observation, admissibleActions }: PromptInput): string {
  const actions = admissibleActions().map((action) => `'${action}'`);
  return `Your current observation is: ${observation}
Your admissible actions of the current situation are: [${actions.join("\n ")}].`;
}

/** Formats past turns as verl-agent's memory lines, each with its turn number (from 1), observation and action. */
export function toMemory(past: readonly PastTurn[], historyLength: number): string {
  const shown = lastTurns(past, historyLength);
  const first = past.length - shown.length + 1;
  return shown
    .map(
      ({ observation, action }, i) => `[Observation ${first + i}: '${observation}', Action ${first + i}: '${action}']`,
    )
    .join("\n");
}

function lastTurns(past: readonly PastTurn[], historyLength: number): readonly PastTurn[] {
  return historyLength === 0 ? [] : past.slice(-historyLength);
}

/** Returns a function that caches the results of a pure function. After `most` results the cache is emptied. */
export function remember<Key extends string | number, Value>(
  compute: (key: Key) => Value,
  most = 20_000,
): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const value = compute(key);
    if (known.size >= most) known.clear();
    known.set(key, value);
    return value;
  };
}
