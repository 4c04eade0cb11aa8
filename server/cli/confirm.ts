import { createInterface } from "node:readline/promises";

/** Asks a question that yes or no answers. Where nobody sits at a terminal, as in a script, the answer is yes. */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return true;
  // On stderr: what a command prints on stdout may be read by a program.
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await reader.question(`${question} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    reader.close();
  }
}
