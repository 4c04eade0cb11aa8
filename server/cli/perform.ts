import { readConfig } from "#server/config/config.ts";
import { connect, type Studio } from "./connect.ts";
import { check, pause, unwiden, widen } from "./grid.ts";
import { importRuns } from "./importRuns.ts";
import { listRuns, listSweeps } from "./lists.ts";
import { listNodes, prioritise } from "./nodes.ts";
import type { Outcome, Screen } from "./outcome.ts";
import { cancel, forget, retry } from "./requests.ts";
import { signIn } from "./signIn.ts";
import { runSweep } from "./sweepRun.ts";
import { printTable, verifyByHash } from "./table.ts";
import { makeToken } from "./token.ts";
import type { Command, EnvironmentCommand } from "./command.ts";

type StudioCommand = Exclude<
  Command,
  | EnvironmentCommand
  | { kind: "help" | "version" | "objective" | "detect" | "stats" | "predictorTrain" | "predictorApply" }
>;

/** Runs a command that needs a studio's database, with one of its own that is closed afterwards. */
export async function performInStudio(
  command: StudioCommand,
  home: string | undefined,
  screen: Screen,
): Promise<Outcome> {
  const studio = await connect(readConfig(), home);
  try {
    return await perform(command, studio, screen);
  } finally {
    await studio.database.close();
  }
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
