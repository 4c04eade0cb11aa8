import { parseJsonLine } from "./jsonLine.ts";
import type { LoggedStep } from "./point.ts";
import { parseTrlLine } from "./trl.ts";
import { parseVerlConsole, parseVerlFile } from "./verl.ts";

export type LineDialect = "jsonLines" | "verlConsole" | "verlFile" | "trlPrinted";

/** Reads one kind of log line by line; what is no measurement is undefined. Of one log from its first line on. */
export function makeLineReader(dialect: LineDialect): (line: string) => LoggedStep | undefined {
  switch (dialect) {
    case "jsonLines":
      return parseJsonLine;
    case "verlConsole":
      return parseVerlConsole;
    case "verlFile":
      return parseVerlFile;
    case "trlPrinted": {
      // Printed lines have no step: they count from 1, and what an evaluation prints belongs to the step before it.
      let step = 0;
      return (line) => {
        const values = parseTrlLine(line);
        if (!values) return undefined;
        if (!("eval_loss" in values) || step === 0) step += 1;
        return { step, values };
      };
    }
  }
}
