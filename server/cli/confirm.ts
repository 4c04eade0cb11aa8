import { createInterface } from "node:readline/promises";

import { AppError } from "#packages/base";
import { numberToConfirm } from "#server/domain/plan/sweep/confirmed.ts";

export function isInteractive(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Repeats a request with the number that it starts, if a user at a terminal confirms it. A script must state it. */
export async function withConfirmation<Result>(
  field: string,
  attempt: (confirmed?: number) => Promise<Result>,
): Promise<Result> {
  try {
    return await attempt();
  } catch (error) {
    const number = error instanceof AppError ? numberToConfirm(error.issues, field) : undefined;
    if (number === undefined || !isInteractive() || !(await confirm(`Start all ${number.toLocaleString("en")}?`)))
      throw error;
    return attempt(number);
  }
}

/** Asks the user a yes-or-no question. Without a terminal, as in a script, the answer is yes. */
export async function confirm(question: string): Promise<boolean> {
  if (!isInteractive()) return true;
  // The question is written to stderr, because a program may parse the command's stdout.
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await reader.question(`${question} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    reader.close();
  }
}
