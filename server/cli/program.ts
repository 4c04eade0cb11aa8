import { readFileSync } from "node:fs";
import { sayStart } from "#server/config/startCommand.ts";
import { Command, CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Database } from "#server/db/storage/client.ts";
import { AppError } from "#packages/base";
import { addAlerts } from "./fleet/alerts.ts";
import { addBackup, addRestore } from "./backup/backup.ts";
import { noteCommand } from "./client/noteCommand.ts";
import { addBranch } from "./plan/branch.ts";
import { addCancel } from "./fleet/cancel.ts";
import { addChanges } from "./people/changes.ts";
import { addCheck } from "./runs/check.ts";
import { addCost } from "./fleet/cost.ts";
import { addEnd } from "./trainers/end.ts";
import { addDelete } from "./runs/delete.ts";
import { addDetect } from "./analysis/detect.ts";
import { addEnvironment } from "./environments/environment.ts";
import { addExport } from "./publish/export.ts";
import { addEvaluate } from "./runs/evaluate.ts";
import { addFetch } from "./runs/fetch.ts";
import { addImport } from "./trainers/import.ts";
import { addLabel } from "./trainers/label.ts";
import { addLinks } from "./publish/links.ts";
import { addNodes } from "./fleet/nodes.ts";
import { addObjective } from "./plan/objective.ts";
import { addPaper } from "./publish/paper.ts";
import { addPause, addResume, addRules } from "./fleet/pause.ts";
import { addPeople } from "./people/people.ts";
import { addPriority, addQueue } from "./fleet/queue.ts";
import { addReport } from "./publish/report.ts";
import { addAnalyse } from "./analysis/analyse.ts";
import { addRescue } from "./analysis/rescue.ts";
import { addRetry } from "./fleet/retry.ts";
import { addRuns } from "./runs/runs.ts";
import { addSearch } from "./plan/search.ts";
import { addSeeds } from "./plan/seeds.ts";
import { addSignIn } from "./people/signIn.ts";
import { addStats } from "./analysis/stats.ts";
import { addSweep, addSweeps } from "./plan/sweeps.ts";
import { addTable } from "./publish/table.ts";
import { addToken } from "./people/token.ts";
import { addWatch } from "./runs/watch.ts";
import type { Outcome, Performer, Screen } from "./command.ts";
import { toErrorOutcome } from "./problem.ts";

/** Commands in the order of the help text. They import other code when performed: help loads no database client. */
const additions: readonly ((program: Command, performer: Performer) => void)[] = [
  addSweep,
  addImport,
  addExport,
  addSweeps,
  addWatch,
  addRuns,
  addCancel,
  addEnd,
  addRetry,
  addEvaluate,
  addFetch,
  addDelete,
  addPause,
  addResume,
  addRules,
  addSeeds,
  addBranch,
  addAnalyse,
  addRescue,
  addSearch,
  addLabel,
  addCheck,
  addNodes,
  addCost,
  addQueue,
  addPriority,
  addAlerts,
  addTable,
  addPaper,
  addReport,
  addLinks,
  addObjective,
  addDetect,
  addStats,
  addEnvironment,
  addPeople,
  addToken,
  addSignIn,
  addChanges,
  addBackup,
  addRestore,
];

/** Performs one command line. Returns the command's outcome, a help page, or a usage error (exit code 2). */
export async function answer(argv: readonly string[], screen: Screen): Promise<Outcome> {
  let outcome: Outcome | undefined;
  let isUnderstood = false;
  let help = "";
  const perform: Performer["perform"] = async (work) => {
    isUnderstood = true;
    outcome = await work(screen);
  };
  let asked: { action: string; subject: string } | undefined;
  const program = makeProgram({
    perform,
    performInStudio: (work) =>
      perform(async () => {
        const [{ readConfig }, { connect }] = await Promise.all([
          import("#server/config/config.ts"),
          import("./client/connect.ts"),
        ]);
        const { home, as } = program.opts();
        const studio = await connect(readConfig(), home);
        try {
          const person = as === undefined ? undefined : await nameOfPerson(studio.database, as);
          const done = await work({ ...studio, person }, screen);
          // A performed command is recorded whatever its exit code (1 for `--watch` if runs failed). A rejected one
          // throws.
          if (asked !== undefined) await noteCommand(studio.database, { ...asked, person });
          return done;
        } finally {
          await studio.database.close();
        }
      }),
  });
  program.hook("preAction", (_, command) => {
    if (isChange(command)) asked = { action: nameOf(command), subject: command.args.join(" ") };
  });
  const write = (text: string): void => void (help += text);
  const width = (): number => screen.width ?? 100;
  const output = {
    writeOut: write,
    writeErr: write,
    outputError: () => {},
    getOutHelpWidth: width,
    getErrHelpWidth: width,
  };
  for (const command of listAll(program)) {
    command.exitOverride().configureOutput(output);
  }
  try {
    await program.parseAsync(argv, { from: "user" });
    return outcome ?? toHelp(help);
  } catch (error) {
    if (!(error instanceof CommanderError)) return toErrorOutcome(error, isUnderstood ? 1 : 2);
    if (error.code === "commander.version") {
      return { text: error.message, json: { version: error.message }, exitCode: 0 };
    }
    if (error.exitCode === 0 || program.args.length === 0) return toHelp(help);
    const refusal = toErrorOutcome(new AppError("bad_input", explain(error)), 2);
    // A command group without a subcommand (such as `people`) prints its help.
    return error.code === "commander.help" ? { ...refusal, text: help.trimEnd() } : refusal;
  }
}

/** Last word of each command that changes stored data, for the log of changes: `sweep run` is `run`. */
const changing = new Set([
  "run",
  "branch",
  "rescue",
  "import",
  "cancel",
  "retry",
  "delete",
  "pause",
  "resume",
  "rules",
  "seeds",
  "label",
  "priority",
  "paper",
  "token",
  "invite",
  "take-back",
  "role",
  "remove",
  "sign-in",
]);

/** Returns false for variants that only print, such as a paper's table or a list of tokens. */
function isChange(command: CommandUnknownOpts): boolean {
  const options: Record<string, unknown> = command.opts();
  return changing.has(command.name()) && options["from"] === undefined && options["list"] !== true;
}

const nameOf = (command: CommandUnknownOpts): string =>
  command.parent === null ? "arlarena" : `${nameOf(command.parent).replace("npx ", "")} ${command.name()}`;

async function nameOfPerson(database: Database, name: string): Promise<string> {
  const { findPerson } = await import("#server/db/people/people.ts");
  return (await findPerson(database, name)).name;
}

function toHelp(help: string): Outcome {
  return { text: help.trimEnd(), json: { help }, exitCode: 0 };
}

function explain({ code, message }: CommanderError): string {
  const problem =
    code === "commander.help" ? "a command is missing" : message.replace(/^error: /, "").replace("\n", " ");
  return `${problem}; npx arlarena help lists the commands`;
}

export function makeProgram(performer: Performer) {
  const program = new Command("npx arlarena");
  for (const add of additions) add(program, performer);
  return program
    .description(`Controls a running ARLArena Studio (${sayStart()}) without a browser.`)
    .configureHelp({ subcommandTerm: toUsage })
    .option("--json", "print one JSON document instead of text, also for errors")
    .option("--home <FOLDER>", "the studio's state folder (ARLARENA_HOME)")
    .option("--as <NAME>", "act as this person of the studio, in the log of changes and as owner of runs")
    .version(readVersion(), "--version", "print the version")
    .addHelpText(
      "after",
      `
npx arlarena help COMMAND shows a command's options. SWEEP is an id, the beginning of one, or a name.
The database is DATABASE_URL's, or that of the studio running on the state folder.
Exit code: 0 done, 1 failed (with --watch: not all runs finished), 2 invalid command.`,
    );
}

/** Returns the usage of a command with its subcommands: "table SWEEP | verify HASH", "analyse QUESTION SWEEP …". */
export function toUsage(command: CommandUnknownOpts): string {
  const operands = operandsOf(command);
  const [own, ...others] = new Set(command.commands.map(operandsOf));
  // Questions, which all have the same operands, are not listed: their names fill three lines.
  const isQuestion = command.commands.length > 2 && own !== undefined && others.length === 0;
  const variants = isQuestion ? [`QUESTION ${own}`] : [operands, ...command.commands.map(toUsage)];
  return `${command.name()} ${variants.filter((variant) => variant !== "").join(" | ")}`.trimEnd();
}

function operandsOf({ registeredArguments }: CommandUnknownOpts): string {
  const operands = registeredArguments.map((operand) => {
    const name = `${operand.name()}${operand.variadic ? " …" : ""}`;
    return operand.required ? name : `[${name}]`;
  });
  return operands.join(" ");
}

function listAll(command: CommandUnknownOpts): CommandUnknownOpts[] {
  return [command, ...command.commands.flatMap(listAll)];
}

function readVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return /"version": "([^"]+)"/.exec(text)?.[1] ?? "unknown";
}
