import type { Rng } from "#trainer/spec/rng.ts";
import type { Expertise } from "../environment.ts";
import type { TirMathState } from "./state.ts";

export const block = (code: string): string => `\`\`\`py\n${code}\n\`\`\``;
export const boxOf = (answer: string): string => `\\boxed{${answer}}`;

/** Lists actions of a beginner: the right program, wrong programs, and the last program's output as answer. */
export function listActions({ task, output, turns }: TirMathState): readonly string[] {
  const programs = [task.program, ...task.decoys, task.faulty].map(block);
  const guess = turns === 0 || output === undefined ? [] : [boxOf(output.trim().split("\n").at(-1) ?? "")];
  return [...programs, ...guess];
}

const retryShare = 0.15;
const finalShare = 0.1;

/**
 * Returns the expert's next action: the right program, then its output as answer. In the last turn, the program
 * itself calls `final_answer`. With `rng` and three turns or more, some first programs are wrong or call
 * `final_answer`.
 */
export function advise({ task, code, output, turns }: TirMathState, maxTurns: number, rng?: Rng): Expertise {
  if (code === task.program && output !== undefined) return { thought: "", action: boxOf(output.trim()) };
  const isFirst = turns === 0 && maxTurns >= 3;
  const draw = isFirst && rng !== undefined ? rng.next() : 1;
  if (draw < retryShare) return { thought: "", action: block(task.faulty) };
  const isFinal = draw < retryShare + finalShare || maxTurns - turns < 2;
  return { thought: "", action: block(isFinal ? toFinal(task.program) : task.program) };
}

/** Returns the program with `final_answer` in place of the `print` in its last line. */
export function toFinal(program: string): string {
  return program.replace(/print\((?=[^\n]*$)/, "final_answer(");
}
