import { CourierLine, lineMark } from "./protocol.ts";

/** Last lines of a job's log; -1: all. */
type ReadTail = (numLines: number) => Promise<string>;

/**
 * Marked lines of a job's log from number `next` on, in order and without a gap. The log has no offsets, so
 * increasingly long tails are read until they reach back far enough.
 */
export async function readLines(readTail: ReadTail, next: number): Promise<CourierLine[]> {
  for (const numLines of [16, 256]) {
    const lines = parseLines(await readTail(numLines));
    if (lines[0] !== undefined && lines[0].n <= next) return following(lines, next);
  }
  return following(parseLines(await readTail(-1)), next);
}

/** Finds marked lines among other output. The last may be incomplete, and one may be torn. */
export function parseLines(text: string): CourierLine[] {
  return text.split("\n").flatMap((line) => {
    const at = line.indexOf(lineMark);
    if (at === -1) return [];
    try {
      return [CourierLine.parse(JSON.parse(line.slice(at + lineMark.length)))];
    } catch {
      return [];
    }
  });
}

function following(lines: readonly CourierLine[], next: number): CourierLine[] {
  const whole: CourierLine[] = [];
  for (const line of lines) if (line.n === next + whole.length) whole.push(line);
  return whole;
}
