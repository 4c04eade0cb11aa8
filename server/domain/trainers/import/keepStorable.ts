import { badInput, findUnstorable } from "#packages/base";
import { toShown } from "#packages/trainers";
import type { ForeignFile, RunInFile } from "./foreignRun.ts";

/** Maximum step, which the database stores as a 32-bit integer. */
export const maxStep = 2 ** 31 - 1;
/** Maximum time of a JavaScript date in ms since 1970: in the year 275760. */
export const maxTimeMs = 8.64e15;
/** Time by which a clock may be ahead of the studio's; later times would stay on top of every list. */
const maxAheadMs = 24 * 3600 * 1000;
const maxKeyLength = 500;

/**
 * Removes, with a note, everything that the database cannot store: metrics with empty, too long or invalid names, and
 * steps and times out of range. Throws `bad_input` if no data remain or a run has such a name.
 */
export function keepStorable(fileName: string, file: ForeignFile): ForeignFile {
  const notes: string[] = [];
  const runs = file.runs.map((run) => keepRun(fileName, run, notes)).filter(({ lines }) => lines.length > 0);
  if (runs.length === 0) throw badInput(notes.map((message) => ({ path: fileName, message })));
  return notes.length === 0 ? file : { ...file, runs, notes: [...file.notes, ...notes] };
}

function keepRun(fileName: string, run: RunInFile, notes: string[]): RunInFile {
  const { name, lines } = run;
  const unnamable = findUnstorable(name);
  if (unnamable) throw badInput([{ path: fileName, message: `its run's name ${unnamable.message}` }]);
  const seen = new Set<string>();
  for (const { values } of lines) for (const key of Object.keys(values)) seen.add(key);
  const bad = new Map<string, string>();
  for (const key of seen) {
    const problem = problemOf(key);
    if (problem !== undefined) bad.set(key, problem);
  }
  for (const [key, problem] of [...bad].slice(0, numShown)) {
    notes.push(`the metric “${toShown(key.slice(0, 60))}”${key.length > 60 ? "…" : ""} ${problem}: left out`);
  }
  if (bad.size > numShown) notes.push(`${bad.size - numShown} more metrics left out for their names`);
  const isStep = (step: number) => step >= 0 && step <= maxStep;
  const beyond = lines.filter(({ step }) => !isStep(step));
  if (beyond.length > 0) {
    const count = beyond.length === 1 ? "1 line has a step" : `${beyond.length} lines have steps`;
    notes.push(`${count} outside 0 to ${maxStep}, which cannot be stored; left out, the first is ${beyond[0]?.step}`);
  }
  const isTime = ({ atMs = 0 }: { atMs?: number }) => atMs >= -maxTimeMs && !isFuture(atMs);
  if (!lines.every(isTime)) notes.push("times outside the range of dates, or later than a day after now, are left out");
  if (bad.size === 0 && beyond.length === 0 && lines.every(isTime)) return run;
  const kept = lines.flatMap((line) => {
    if (!isStep(line.step)) return [];
    const values = Object.fromEntries(Object.entries(line.values).filter(([key]) => !bad.has(key)));
    if (Object.keys(values).length === 0) return [];
    const { atMs, ...rest } = { ...line, values };
    return [{ ...rest, ...(atMs !== undefined && isTime({ atMs }) && { atMs }) }];
  });
  return { ...run, lines: kept };
}

const numShown = 5;

function problemOf(key: string): string | undefined {
  if (key.trim() === "") return "has no name";
  // An assignment to `__proto__` would not set a property.
  if (key === "__proto__") return "has a reserved name";
  if (key.length > maxKeyLength) return `has ${key.length} characters, limit is ${maxKeyLength}`;
  return findUnstorable(key)?.message;
}

export function isFuture(timeMs: number): boolean {
  return timeMs > Date.now() + maxAheadMs;
}

/** Describes a time that is refused. */
export function describeFuture(timeMs: number): string {
  return `is ${new Date(timeMs).toISOString()}, which must be at most a day after now (${new Date().toISOString()}): check the clock that wrote it`;
}
