import { z } from "zod";
import { type LoggedStep, numbersOf, splitStep } from "./point.ts";
import { parseJson } from "./pythonJson.ts";
import { splitHead } from "./text/joiner.ts";
import { findEnd, parsePrinted } from "./text/printed.ts";
import { makeUnread, type Unread } from "./unread.ts";

const State = z.object({ log_history: z.array(z.record(z.string(), z.unknown())) });
const Step = z.int().min(0);

type TrainerState = {
  steps: LoggedStep[];
  unread: Unread;
  /** True if the file ends within the history: its last entry is dropped. */
  isCut: boolean;
};

/** Log history of a `trainer_state.json`; entries without a step are not measurements. Undefined for any other text. */
export function parseTrainerState(text: string): TrainerState | undefined {
  const whole = readLogHistory(text);
  const entries = whole ?? readLogHistory(closeHistory(text));
  if (!entries) return undefined;
  const unread = makeUnread();
  for (const entry of entries) if (typeof entry === "string") unread.add(entry);
  const steps = entries.filter((entry) => typeof entry !== "string");
  return { steps, unread: unread.read(), isCut: whole === undefined };
}

/** The history entry by entry; an entry without a step is returned as text. */
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

/** Completes a truncated state after its last whole entry. */
function closeHistory(text: string): string {
  const found = /"log_history"\s*:\s*\[/.exec(text);
  if (!found) return "";
  const start = found.index + found[0].length;
  let last = start;
  for (let open = text.indexOf("{", start); open !== -1; open = text.indexOf("{", last)) {
    const end = findEnd(text, open);
    if (end === -1) break;
    last = end;
  }
  return `{"log_history": [${text.slice(start, last)}]}`;
}

/**
 * Parses one printed line of the Transformers trainer, a Python dictionary: `{'loss': -0.01, 'epoch': 0.03}`; undefined
 * for any other line. The caller counts lines without a step.
 */
export function parseTrlLine(line: string): Record<string, number> | undefined {
  return readTrlLine(line)?.values;
}

/** `parseTrlLine` with the step if the line states one, as in ms-swift (`'global_step/max_steps': '1/187'`). */
export function readTrlLine(line: string): { values: Record<string, number>; step: number | undefined } | undefined {
  const { body, step: step0 } = splitHead(line) ?? {};
  if (body === undefined || !/^\{\s*'/.test(body)) return undefined;
  const found = parsePrinted(body);
  if (found === undefined) return undefined;
  const { step = step0, rest } = splitStep(found);
  const values = numbersOf(rest);
  return Object.keys(values).length > 0 ? { values, step } : undefined;
}
