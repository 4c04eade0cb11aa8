import type { PromptInput } from "../environment.ts";

/** A conversation as one text, in meow-tea-taro's fields and order: the objective, then state and action in turn. */
export function renderChat({ task, observation, past }: PromptInput): string {
  const turns = [
    ...past.map((turn) => `current state: ${turn.observation}\n\nyour action: ${turn.action}`),
    `current state: ${observation}\n\nyour action: `,
  ];
  return [
    "You are an expert at solving text adventures.",
    "Your answer ends with an action that begins with a verb, for example: open box.",
    `Here is how to win the game:\n${task}`,
    `Here are your interactions so far:\n${turns.join("\n")}`,
  ].join("\n");
}
