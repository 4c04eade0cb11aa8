import { readConfig } from "../config/config.ts";
import { toPlain } from "./columns.ts";
import { connect, type Studio } from "./connect.ts";
import { parseCommand, type Command, type EnvironmentCommand } from "./command.ts";
import { printDetection } from "./detect.ts";
import { check, pause, unwiden, widen } from "./grid.ts";
import { help } from "./help.ts";
import { importRuns } from "./importRuns.ts";
import { listRuns, listSweeps } from "./lists.ts";
import { printObjective } from "./objective.ts";
import { listNodes, prioritise } from "./nodes.ts";
import type { Outcome, Screen } from "./outcome.ts";
import { toErrorOutcome } from "./problem.ts";
import { cancel, forget, retry } from "./requests.ts";
import { makeScreen } from "./screen.ts";
import { signIn } from "./signIn.ts";
import { printStatistics } from "./stats.ts";
import { runSweep } from "./sweepRun.ts";
import { printTable, verifyByHash } from "./table.ts";
import { makeToken } from "./token.ts";
import { readVersion } from "./version.ts";

/** The command line: parses, runs one command, prints one answer and leaves with 0, 1 (failed) or 2 (not understood). */
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
    if (command.kind === "objective") return await printObjective(command.file);
    if (command.kind === "predictorTrain" || command.kind === "predictorApply") {
      // It loads onnxruntime.
      const { answerPredictor } = await import("./predictor.ts");
      return await answerPredictor(command);
    }
    if (command.kind === "detect") return await printDetection(command.file, command.size);
    if (command.kind === "stats") return await printStatistics(command, screen);
    if (isEnvironmentCommand(command)) {
      // The environments are loaded by these commands alone.
      const { answerEnvironment } = await import("./env.ts");
      return await answerEnvironment(command, screen);
    }
    const studio = await connect(readConfig(), home);
    try {
      return await perform(command, studio, screen);
    } finally {
      await studio.database.close();
    }
  } catch (error) {
    return toErrorOutcome(error, 1);
  }
}

type StudioCommand = Exclude<
  Command,
  | EnvironmentCommand
  | { kind: "help" | "version" | "objective" | "detect" | "stats" | "predictorTrain" | "predictorApply" }
>;

function isEnvironmentCommand(command: Command): command is EnvironmentCommand {
  return command.kind.startsWith("environment");
}

function perform(command: StudioCommand, studio: Studio, screen: Screen): Promise<Outcome> {
  const { database } = studio;
  switch (command.kind) {
    case "sweepRun":
      return runSweep(command, studio, screen);
    case "import":
      return importRuns(command, studio);
    case "token":
      return makeToken(command, studio);
    case "sweeps":
      return listSweeps(database, screen);
    case "runs":
      return listRuns(database, command.sweep, screen);
    case "cancel":
      return cancel(database, command.target);
    case "retry":
      return retry(database, command.target);
    case "delete":
      return forget(database, command.sweep);
    case "pause":
      return pause(database, command.sweep, command.intent);
    case "seeds":
      return widen(database, command.sweep, command.numNew);
    case "seedsUndo":
      return unwiden(database, command.sweep);
    case "check":
      return check(database, command.runId);
    case "nodes":
      return listNodes(database, screen);
    case "priority":
      return prioritise(database, command.sweep, command.priority);
    case "table":
      return printTable(database, command);
    case "tableVerify":
      return verifyByHash(database, command.hash);
    case "signIn":
      return signIn(studio);
  }
}
