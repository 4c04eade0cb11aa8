/** Unparsed lines: their number, the first few in a form that is safe to display, line numbers if known. */
export type Unread = { count: number; first: readonly string[]; lines?: readonly number[] };

export const nothingUnread: Unread = { count: 0, first: [] };

const numShown = 3;
const maxLength = 160;

/** Makes a counter of lines that were not parsed, which keeps the first three. */
export function makeUnread() {
  let count = 0;
  const first: string[] = [];
  const lines: number[] = [];
  return {
    add(text: string, line?: number, numLines = 1): void {
      count += numLines;
      if (first.length >= numShown) return;
      first.push(toShown(text));
      if (line !== undefined) lines.push(line);
    },
    read: (): Unread => ({ count, first: [...first], ...(lines.length > 0 && { lines: [...lines] }) }),
  };
}

/** Formats a line so that it is safe to display: shortened, with control and directional characters escaped. */
export function toShown(line: string): string {
  const start = Array.from(line.slice(0, 2 * maxLength))
    .slice(0, maxLength)
    .join("");
  const escaped = start.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (letter) => {
    return `\\u${letter.codePointAt(0)?.toString(16).padStart(4, "0")}`;
  });
  return start.length < line.length ? `${escaped}… (${line.length} characters)` : escaped;
}

/** Summarises the lines that were not parsed in a sentence; undefined if every line was parsed. */
export function sayUnread(
  { count, first, lines = [] }: Unread,
  what: "line" | "entry" | "row" = "line",
): string | undefined {
  if (count === 0) return undefined;
  const words = count === 1 ? `1 ${what} was` : `${count.toLocaleString("en-US")} ${plurals[what]} were`;
  const shown = first
    .map((text, i) => (lines[i] === undefined ? `“${text}”` : `“${text}” (line ${lines[i]})`))
    .join(", ");
  const which = count === 1 ? "" : count <= first.length ? "they are " : "the first are ";
  return `${words} ${notUnderstood}: ${which}${shown}`;
}

/** Words by which stored remarks on unread lines are found. */
export const notUnderstood = "not understood";

const plurals = { line: "lines", entry: "entries", row: "rows" } as const;
