import type { PythonRun } from "../programs.ts";

const fence = /```(?:py|python)?\n([^]*?)\n```/;
const firstBlock = /^([^]*?)(```(?:py|python)?\n[^]*?\n```)/;

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

/** Formats the interpreter's feedback: error, output, or a notice of a timeout. A long text loses its middle. */
export function toFeedback({ stdout, error, isTimeout }: PythonRun): string {
  const isSilent = isTimeout && stdout === "";
  const text = error !== "" ? cut(error) : isSilent ? "interpreter timeout" : cut(stdout);
  return `${resultMark}${text}\n`;
}

export const resultMark = "\nCode execution result: ";

function cut(text: string): string {
  if (text.length <= maxLength) return text;
  const notice = `\n..._This content has been truncated to stay below ${maxLength} characters_...\n`;
  return text.slice(0, maxLength / 2) + notice + text.slice(-maxLength / 2);
}
