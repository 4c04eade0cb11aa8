import { parseTrlLine } from "../trl.ts";
import type { ConsoleReader } from "./console.ts";

/** `… - Step 12: ` and below it a dictionary of texts with four decimals, mostly a line each. */
export function makeSkyRlConsole(): ConsoleReader {
  let step: number | undefined;
  let isBelow = false;
  return (line) => {
    const head = /tracking:log:\d+ - Step (\d+): *$/.exec(line)?.[1];
    if (head !== undefined) {
      step = Number(head);
      isBelow = true;
      return { step, values: {} };
    }
    if (step === undefined || !isBelow) return undefined;
    const values = parseTrlLine(`{${line.trim().replace(/^\{/, "").replace(/[},]$/, "")}}`);
    isBelow = values !== undefined && !line.trimEnd().endsWith("}");
    return values && { step, values };
  };
}
