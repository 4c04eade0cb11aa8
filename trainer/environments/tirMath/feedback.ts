import type { PythonRun } from "../programs.ts";

const fence = /```(?:py|python)?\n([^]*?)\n```/;
const firstBlock = /^([^]*?)(```(?:py|python)?\n[^]*?\n```)/;

/** Returns a response without the text after its first program. */
export function cutAfterCode(response: string): string {
  const match = firstBlock.exec(response);
  return match === null ? response : (match[1] ?? "").trim() + (match[2] ?? "");
}

/** Returns the program in a response's fenced code block; undefined if there is none. */
export function findCode(text: string): string | undefined {
  return fence.exec(text)?.[1]?.trim();
}

/** Python code that runs before every program of the policy: `final_answer(result)` prints the result in a box. */
export const solutionPrelude = 'def final_answer(result):\n    print("\\\\boxed{" + str(result) + "}")';

const maxLength = 512;

/**
 * Formats the interpreter's feedback to a program: its error, else its output, else a notice of a timeout. The middle
 * of a long text is cut.
 */
export function toFeedback({ stdout, error, isTimeout }: PythonRun): string {
  const isSilent = isTimeout && stdout === "";
  const text = error !== "" ? cut(error) : isSilent ? "interpreter timeout" : cut(stdout);
  return `${resultMark}${text}\n`;
}

/** Text with which the interpreter's feedback always begins. */
export const resultMark = "\nCode execution result: ";

function cut(text: string): string {
  if (text.length <= maxLength) return text;
  const notice = `\n..._This content has been truncated to stay below ${maxLength} characters_...\n`;
  return text.slice(0, maxLength / 2) + notice + text.slice(-maxLength / 2);
}
