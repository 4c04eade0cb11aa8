/** Lines that were not understood: how many, and the first ones as they can be shown. */
export type Unread = { count: number; first: readonly string[] };

export const nothingUnread: Unread = { count: 0, first: [] };

const numShown = 3;
const maxLength = 160;

/** Counts lines and keeps the first three. */
export function makeUnread() {
  let count = 0;
  const first: string[] = [];
  return {
    add(line: string): void {
      count += 1;
      if (first.length < numShown) first.push(toShown(line));
    },
    read: (): Unread => ({ count, first: [...first] }),
  };
}

/** One line, cut, its control characters and directional marks written out: nothing in it acts on a screen. */
export function toShown(line: string): string {
  const start = Array.from(line.slice(0, 2 * maxLength))
    .slice(0, maxLength)
    .join("");
  const escaped = start.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (letter) => {
    return `\\u${letter.codePointAt(0)?.toString(16).padStart(4, "0")}`;
  });
  return start.length < line.length ? `${escaped}… (${line.length} characters)` : escaped;
}

/** In a sentence; undefined where everything was understood. */
export function sayUnread({ count, first }: Unread, what: "line" | "entry" | "row" = "line"): string | undefined {
  if (count === 0) return undefined;
  const words = count === 1 ? `1 ${what} was` : `${count.toLocaleString("en-US")} ${plurals[what]} were`;
  const shown = first.map((line) => `“${line}”`).join(", ");
  const which = count === 1 ? "" : count <= first.length ? "they are " : "the first are ";
  return `${words} not understood: ${which}${shown}`;
}

const plurals = { line: "lines", entry: "entries", row: "rows" } as const;
