import { toPlain } from "./views/columns.ts";
import { answer } from "./program.ts";
import { makeScreen } from "./screen.ts";

/**
 * Entry point of the command line: performs one command, prints one answer and exits with 0, 1 (failed) or 2 (usage
 * error).
 */
const argv = process.argv.slice(2);
// Read from the raw words, since usage errors are printed as JSON too.
const isJson = argv.includes("--json");
// The reader of a pipe (`| head`) may close it early.
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
