import type { PromptInput } from "../environment.ts";

/** Instruction for a large language model: how to run programs, and how to answer. */
export const instruction = [
  "Solve the math problem step by step. Whenever it helps, write a Python program in a fenced code block:",
  "```py",
  "# your program",
  "```",
  "It is run at once, and what it prints is returned after `Code execution result: `; use print() to see a value. " +
    "A program that calls final_answer(x) gives x as the answer.",
  "When you are sure, give the answer as the last line: \\boxed{your answer}",
].join("\n");

/** The whole transcript: the problem, then every turn's text with its feedback. */
export function renderTranscript({ task, past, observation }: PromptInput): string {
  const turns = past.map(({ action }, i) => action + (past[i + 1]?.observation ?? observation));
  return `${instruction}\n\nProblem: ${task}\n\n${turns.join("")}`;
}
