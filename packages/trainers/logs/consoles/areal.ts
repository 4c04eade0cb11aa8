import { parseNumber } from "../point.ts";
import type { ConsoleReader } from "./console.ts";

/**
 * AReaL's console: a table of names and values, four pairs per row, below `Train step 12/4680 done.` (printed from 1,
 * logged from 0).
 */
export function makeArealConsole(): ConsoleReader {
  let step: number | undefined;
  let item = 0;
  return (line) => {
    const head = /Epoch \d+\/\d+ Step \d+\/\d+ Train step (\d+)\/\d+ done\./.exec(line)?.[1];
    if (head !== undefined) {
      [step, item] = [Number(head) - 1, 0];
      return { step, values: {} };
    }
    if (step === undefined) return undefined;
    const stats = /Stats \((\d+)\/\d+\):/.exec(line)?.[1];
    // Several items of one step take one log step each.
    if (stats !== undefined) item = Number(stats) - 1;
    if (stats !== undefined || /^[╒╞├╘][═╤╪╧╡╛╕─┼┤]+\s*$/.test(line)) return { step: step + item, values: {} };
    if (!line.startsWith("│")) return undefined;
    const cells = line
      .split("│")
      .slice(1, -1)
      .map((cell) => cell.trim());
    const values: Record<string, number> = {};
    for (let i = 0; i + 1 < cells.length; i += 2) {
      const value = parseNumber(cells[i + 1] ?? "");
      if (cells[i] && value !== undefined) values[cells[i] ?? ""] = value;
    }
    return { step: step + item, values };
  };
}
