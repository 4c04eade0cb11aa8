import { z } from "zod";
import { parseNumber, type LoggedStep } from "./point.ts";
import { numbersOf, parseJson } from "./verl.ts";

const State = z.object({ log_history: z.array(z.record(z.string(), z.unknown())) });

/** The log history of a `trainer_state.json`: entries without a step are no measurements. */
export function parseTrainerState(text: string): LoggedStep[] | undefined {
  const found = State.safeParse(parseJson(text));
  if (!found.success) return undefined;
  return found.data.log_history.flatMap(({ step, ...rest }) =>
    typeof step === "number" && Number.isInteger(step) ? [{ step, values: numbersOf(rest) }] : [],
  );
}

/**
 * One printed line of the Transformers trainer, a Python dictionary of one log: `{'loss': -0.01, 'epoch': 0.03}`;
 * undefined for any other line. It has no step: lines are counted by whoever reads them.
 */
export function parseTrlLine(line: string): Record<string, number> | undefined {
  const inside = /^\s*\{(.*)\}\s*$/.exec(line)?.[1];
  if (inside === undefined) return undefined;
  const values: Record<string, number> = {};
  const pair = /\s*'([^']+)':\s*(np\.\w+\([^)]*\)|'[^']*'|[^,]+?)\s*(?:,|$)/y;
  while (pair.lastIndex < inside.length) {
    const match = pair.exec(inside);
    if (match?.[1] === undefined || match[2] === undefined) return undefined;
    const value = match[2] === "None" ? NaN : parseNumber(match[2].replaceAll("'", ""));
    if (value !== undefined) values[match[1]] = value;
  }
  return Object.keys(values).length > 0 ? values : undefined;
}
