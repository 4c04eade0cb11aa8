import type { PromptInput } from "../environment.ts";
import { toMemory } from "../prompt.ts";

export const instruction = `You are an expert agent shopping in the WebShop environment. Find an article that fits the instruction, choose its options and buy it.
search[words] looks for articles, from any page; click[text] presses what a page shows. A page does not show which options are chosen.`;

/** verl-agent's fields in order. The history is left out where the prompt would be too long for its models. */
export function renderFullPrompt(input: PromptInput, historyLength: number): string {
  const whole = render(input, historyLength);
  return whole.length > maxCharacters ? render(input, 0) : whole;
}

const maxCharacters = 13_000;

function render({ task, past, observation, admissibleActions }: PromptInput, historyLength: number): string {
  const numShown = Math.min(historyLength, past.length);
  const step = past.length + 1;
  const progress =
    numShown === 0
      ? []
      : [
          `You have taken ${past.length} step(s) so far. The last ${numShown} observation(s) and action(s):`,
          toMemory(past, historyLength),
          `You are now at step ${step}.`,
        ];
  return [
    instruction,
    `Your task is: ${task}.`,
    ...progress,
    `Your current observation is: ${observation}.`,
    "Your admissible actions of the current situation are:",
    "[",
    ...admissibleActions().map((action) => `'${action}',`),
    "].",
    "First reason inside <think> </think> tags, then give one admissible action inside <action> </action> tags.",
  ].join("\n");
}
