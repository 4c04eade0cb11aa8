import { createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import { createInterface } from "node:readline";
import { AppError } from "#packages/base";

/** One line of an episode's player. */
export type Answer =
  | { kind: "action" | "response"; text: string }
  | { kind: "expert" }
  | { kind: "undo" }
  /** Lists the admissible actions. */
  | { kind: "list" }
  | { kind: "quit" };

/** Lines of a file or of standard input ("-"); a terminal is prompted line by line. Empty lines are skipped. */
export async function* readAnswers(file: string, isAsking: boolean): AsyncGenerator<Answer> {
  if (file !== "-") {
    await access(file).catch((cause: unknown) => {
      throw new AppError("not_found", `there is no file ${file}`, { cause });
    });
  }
  const input = file === "-" ? process.stdin : createReadStream(file, "utf8");
  const lines = createInterface({ input, ...(isAsking && { output: process.stdout, prompt: "> " }) });
  if (isAsking) {
    process.stdout.write("(actions, or :expert, :undo, :list, :quit)\n");
    lines.prompt();
  }
  try {
    for await (const line of lines) {
      if (line.trim() !== "") yield parseAnswer(line.trim());
      if (isAsking) lines.prompt();
    }
  } finally {
    lines.close();
  }
}

const orders: ReadonlyMap<string, Answer> = new Map([
  [":expert", { kind: "expert" }],
  [":undo", { kind: "undo" }],
  [":list", { kind: "list" }],
  [":quit", { kind: "quit" }],
]);

/** Text in angle brackets is a whole response; text in double quotes is JSON, for line breaks. */
export function parseAnswer(line: string): Answer {
  const order = orders.get(line);
  if (order) return order;
  const text = unquote(line);
  return { kind: /<[a-z_]+>/i.test(text) ? "response" : "action", text };
}

function unquote(line: string): string {
  if (!/^".*"$/.test(line)) return line;
  try {
    return String(JSON.parse(line));
  } catch {
    return line;
  }
}
