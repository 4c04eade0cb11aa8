import { parseTrlLine } from "../trl.ts";
import type { ConsoleReader } from "./console.ts";

/** SkyRL's console: `… - Step 12: ` followed by a dictionary of texts with four decimals, mostly one per line. */
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
