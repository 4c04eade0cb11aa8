import { consoles, isConsoleKind, type ConsoleKind } from "./consoles/consoles.ts";
import { parseJsonLine } from "./jsonLine.ts";
import type { LoggedStep } from "./point.ts";
import { readTrlLine } from "./trl.ts";
import { makeTrlSteps, readTrlPlan, type TrlPlan } from "./trlSteps.ts";
import { stripColours } from "./text/pieces.ts";
import { parseVerlConsole, parseVerlFile } from "./verl.ts";

export type LineDialect = "jsonLines" | "verlConsole" | "verlFile" | "trlPrinted" | ConsoleKind;

/**
 * Reads a log line by line from its first line on; undefined for lines without measurements. `plan`: the printing
 * schedule of a trainer that prints no steps; without it each training line is the next step.
 */
export function makeLineReader(
  dialect: LineDialect,
  plan: TrlPlan = readTrlPlan([]),
): (line: string) => LoggedStep | undefined {
  if (isConsoleKind(dialect)) return ofPlainLine(consoles[dialect].make());
  switch (dialect) {
    case "jsonLines":
      return parseJsonLine;
    case "verlConsole":
      return parseVerlConsole;
    case "verlFile":
      return parseVerlFile;
    case "trlPrinted": {
      const stepOf = makeTrlSteps(plan);
      let last: number | undefined;
      return (line) => {
        const found = readTrlLine(line);
        if (!found) return undefined;
        const { values } = found;
        const step = stepOf(values);
        // The closing line of a training is recognised, but has no step.
        if (step === undefined) return last === undefined ? undefined : { step: last, values: {} };
        return { step: (last = found.step ?? step), values };
      };
    }
  }
}

function ofPlainLine(read: (line: string) => LoggedStep | undefined) {
  return (line: string) => read(stripColours(line));
}
