import { readRunEvent, type RunEvent } from "#trainer/spec/event.ts";

/** A line that is not a RunEvent: where it begins in the log, what it said, what is wrong with it. */
export type RejectedLine = { offset: number; text: string; problem: string };

/** A line that is one; `offset` and `text` tell it again should it turn out to be a repetition. */
export type ReadLine = { offset: number; text: string; event: RunEvent };

export type ParsedLines = { events: ReadLine[]; rejected: RejectedLine[]; consumedBytes: number };

type Position = {
  /** Where `bytes` begin in the log. */
  offset: number;
  /** True when nothing will be appended any more: a torn last line is then judged instead of left for later. */
  isFinal: boolean;
};

/** No event is longer. Without a limit, a foreign file without line ends would never be read past. */
export const maxLineBytes = 1 << 20;

/**
 * Reads whole lines of an event log. A torn last line stays unread; a foreign line is kept with its problem, and the
 * lines after it are read as if it were not there.
 */
export function parseLines(bytes: Uint8Array, { offset, isFinal }: Position): ParsedLines {
  const parsed: ParsedLines = { events: [], rejected: [], consumedBytes: 0 };
  const take = (end: number, next: number) => {
    addLine(parsed, decoder.decode(bytes.subarray(parsed.consumedBytes, end)), offset + parsed.consumedBytes);
    parsed.consumedBytes = next;
  };
  for (;;) {
    const end = bytes.indexOf(lineFeed, parsed.consumedBytes);
    if (end === -1) break;
    take(end, end + 1);
  }
  const tail = bytes.length - parsed.consumedBytes;
  if (tail >= maxLineBytes || (isFinal && tail > 0)) take(bytes.length, bytes.length);
  return parsed;
}

const lineFeed = 10;
const decoder = new TextDecoder();

function addLine({ events, rejected }: ParsedLines, text: string, offset: number): void {
  if (text.trim() === "") return;
  const result = readRunEvent(parseJson(text));
  if (result.success) events.push({ offset, text, event: result.data });
  else rejected.push({ offset, text, problem: describe(text, result.error.issues) });
}

// undefined is no JSON value: nothing else can be mistaken for it.
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describe(text: string, issues: readonly { path: PropertyKey[]; message: string }[]): string {
  if (text.length >= maxLineBytes) return `longer than ${maxLineBytes} bytes`;
  if (parseJson(text) === undefined) return "not JSON";
  return issues.map(({ path, message }) => `${path.join(".") || "event"}: ${message}`).join("; ");
}
