import { toPlain } from "./views/columns.ts";
import { answer } from "./program.ts";
import type { Screen } from "./command.ts";

type Stream = { isTTY?: boolean; columns?: number; rows?: number; write: (text: string) => unknown };

/** Makes a screen. Colours appear only on a terminal that shows them, unless NO_COLOR (no-color.org) is set. */
function makeScreen(stream: Stream, environment: NodeJS.ProcessEnv, isJson: boolean): Screen {
  const isTerminal = stream.isTTY === true && !isJson;
  const refuses = (environment["NO_COLOR"] ?? "") !== "" || environment["TERM"] === "dumb";
  return {
    // The width is read at each use, because the terminal window may be resized while a sweep is watched.
    get width() {
      return isTerminal ? (stream.columns ?? 80) : undefined;
    },
    get height() {
      return isTerminal ? (stream.rows ?? 24) : undefined;
    },
    hasColour: isTerminal && !refuses,
    write: (text) => void (isJson || stream.write(text)),
    ...(isJson && { writeJson: (value: object) => void stream.write(`${JSON.stringify(value)}\n`) }),
  };
}

/** Performs one command, prints its result, and exits with 0, 1 (failed) or 2 (usage error). */
const argv = process.argv.slice(2);
// `--json` is read before the arguments are parsed, because usage errors are printed as JSON too.
const isJson = argv.includes("--json");
// A program that reads the output through a pipe (`| head`) may close the pipe early.
process.stdout.on("error", () => process.exit());

const {
  text,
  json,
  exitCode,
  remarks = [],
  isLine = false,
} = await answer(argv, makeScreen(process.stdout, process.env, isJson));
for (const remark of remarks) process.stderr.write(`arlarena: ${toPlain(remark)}\n`);
if (isJson) process.stdout.write(`${JSON.stringify(json, undefined, isLine ? undefined : 2)}\n`);
else if (text !== "") (exitCode !== 0 && "error" in json ? process.stderr : process.stdout).write(`${text}\n`);
process.exitCode = exitCode;
