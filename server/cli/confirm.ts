import { createInterface } from "node:readline/promises";

/** Asks the user a yes-or-no question. Without a terminal, as in a script, the answer is yes. */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return true;
  // The question is written to stderr, because a program may parse the command's stdout.
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await reader.question(`${question} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    reader.close();
  }
}
