import { toPlain } from "./columns.ts";
import { parseCommand, type Command, type EnvironmentCommand } from "./command.ts";
import { help } from "./help.ts";
import type { Outcome } from "./outcome.ts";
import { toErrorOutcome } from "./problem.ts";
import { makeScreen } from "./screen.ts";
import { readVersion } from "./version.ts";

/**
 * The command line: parses, runs one command, prints one answer and leaves with 0, 1 (failed) or 2 (not understood).
 * Each command loads what it needs: nobody waits for a database client to read a page of help.
 */
const argv = process.argv.slice(2);
const parsed = parseCommand(argv);
const screen = makeScreen(process.stdout, process.env, parsed.isJson);
// The reader of a pipe (`| head`) may leave before everything is written.
process.stdout.on("error", () => process.exit());

const { text, json, exitCode, remarks = [] } = await answer();
for (const remark of remarks) process.stderr.write(`arlarena: ${toPlain(remark)}\n`);
if (parsed.isJson) process.stdout.write(`${JSON.stringify(json, undefined, 2)}\n`);
else if (text !== "") (exitCode !== 0 && "error" in json ? process.stderr : process.stdout).write(`${text}\n`);
process.exitCode = exitCode;

async function answer(): Promise<Outcome> {
  try {
    if (parsed.kind === "wrong") return toErrorOutcome(parsed.problem, 2);
    const { command, home } = parsed;
    if (command.kind === "help") return { text: help, json: { help }, exitCode: 0 };
    if (command.kind === "version") {
      const version = await readVersion();
      return { text: version, json: { version }, exitCode: 0 };
    }
    if (command.kind === "objective") {
      const { printObjective } = await import("./objective.ts");
      return await printObjective(command.file);
    }
    if (command.kind === "predictorTrain" || command.kind === "predictorApply") {
      // It loads onnxruntime.
      const { answerPredictor } = await import("./predictor.ts");
      return await answerPredictor(command);
    }
    if (command.kind === "detect") {
      const { printDetection } = await import("./detect.ts");
      return await printDetection(command.file, command.size);
    }
    if (command.kind === "stats") {
      const { printStatistics } = await import("./stats.ts");
      return await printStatistics(command, screen);
    }
    if (isEnvironmentCommand(command)) {
      // The environments are loaded by these commands alone.
      const { answerEnvironment } = await import("./env.ts");
      return await answerEnvironment(command, screen);
    }
    const { performInStudio } = await import("./perform.ts");
    return await performInStudio(command, home, screen);
  } catch (error) {
    return toErrorOutcome(error, 1);
  }
}

function isEnvironmentCommand(command: Command): command is EnvironmentCommand {
  return command.kind.startsWith("environment");
}
