import { readRunEvent, type RunEvent } from "#trainer/spec/event.ts";

/** A line that is not a RunEvent: its offset in the log, its text and the problem. */
export type RejectedLine = { offset: number; text: string; problem: string };

/** A valid line; `offset` and `text` are kept in case it is a repetition. */
export type ReadLine = { offset: number; text: string; event: RunEvent };

export type ParsedLines = { events: ReadLine[]; rejected: RejectedLine[]; consumedBytes: number };

type Position = {
  /** Offset of `bytes` in the log. */
  offset: number;
  /** True when nothing more will be appended: a torn last line is then rejected instead of left for later. */
  isFinal: boolean;
};

/** Maximum length of an event. Without it, a foreign file without line ends would never be skipped. */
export const maxLineBytes = 1 << 20;

/**
 * Parses whole lines of an event log. A torn last line stays unread; an invalid line is kept with its problem, and the
 * following lines are read normally.
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

// undefined is not a JSON value, so it is unambiguous.
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
