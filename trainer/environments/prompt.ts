import type { Environment } from "./environment.ts";

/** An observation and the action that answered it. */
export type PastTurn = { observation: string; action: string };

export type PromptInput = {
  task: string;
  observation: string;
  /** Every turn so far, oldest first. */
  past: readonly PastTurn[];
  admissibleActions: readonly string[];
};

/** The words of the prompt's and the response's own grammar; they are part of every vocabulary. */
export const grammarWords = ["<task>", "<obs>", "<sep>", ">", "<think>", "</think>", "<action>", "</action>"] as const;

type Renderer = Pick<Environment<never>, "toWords" | "instruction">;

/**
 * The prompt of a small policy, as space-separated words: task, current observation, then the last turns, newest
 * first. The current observation comes before the history, so that its cells keep their positions in every turn.
 */
export function renderCompact({ toWords }: Renderer, input: PromptInput, historyLength: number): string {
  const history = lastTurns(input.past, historyLength)
    .toReversed()
    .map(({ observation, action }) => `<sep> ${toWords(observation)} > ${action}`);
  return ["<task>", input.task, "<obs>", toWords(input.observation), ...history].join(" ");
}

/** The prompt of a large language model: the fields of verl-agent's templates, in their order. */
export function renderFull({ instruction }: Renderer, input: PromptInput, historyLength: number): string {
  const { past, observation, admissibleActions } = input;
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
    `Your current observation is: ${observation}`,
    `Your admissible actions of the current situation are: [${admissibleActions.map((a) => `'${a}'`).join("\n ")}].`,
    "First reason inside <think> </think> tags, then give one admissible action inside <action> </action> tags.",
  ].join("\n");
}

/** verl-agent's memory lines: turns counted from 1, the observation before the action it led to. */
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
