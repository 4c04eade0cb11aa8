import { z } from "zod";
import { numbersOf, parseNumber, type LoggedStep } from "./point.ts";
import { parseJson } from "./pythonJson.ts";
import { makeUnread, type Unread } from "./unread.ts";

const State = z.object({ log_history: z.array(z.record(z.string(), z.unknown())) });
const Step = z.int().min(0);

/** The log history of a `trainer_state.json`; entries without a step are no measurements. Undefined for any other text. */
export function parseTrainerState(text: string): { steps: LoggedStep[]; unread: Unread } | undefined {
  const entries = readLogHistory(text);
  if (!entries) return undefined;
  const unread = makeUnread();
  for (const entry of entries) if (typeof entry === "string") unread.add(entry);
  return { steps: entries.filter((entry) => typeof entry !== "string"), unread: unread.read() };
}

/** The same, entry by entry: one without a step is the text of it. */
export function readLogHistory(text: string): (LoggedStep | string)[] | undefined {
  if (!text.includes('"log_history"')) return undefined;
  const found = State.safeParse(parseJson(text));
  if (!found.success) return undefined;
  return found.data.log_history.map((entry) => {
    const { step, ...rest } = entry;
    const at = Step.safeParse(step);
    return at.success ? { step: at.data, values: numbersOf(rest) } : JSON.stringify(entry);
  });
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
