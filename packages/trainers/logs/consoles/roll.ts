import { z } from "zod";
import { numbersOf } from "../point.ts";
import { parseJson } from "../pythonJson.ts";
import type { ConsoleReader } from "./console.ts";

const Tagged = z.object({ step: z.int().min(0), metrics: z.record(z.string(), z.unknown()) });

/** ROLL's console: `… metrics_tag: {"step": 12, "metrics": {…}}`, from its stdout tracker. */
export function makeRollConsole(): ConsoleReader {
  return (line) => {
    const text = /metrics_tag: (\{.*\})\s*$/.exec(line)?.[1];
    const found = text === undefined ? undefined : Tagged.safeParse(parseJson(text)).data;
    return found && { step: found.step, values: numbersOf(found.metrics) };
  };
}
