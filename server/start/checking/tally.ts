import { stripVTControlCharacters } from "node:util";

/** Numbers of passed, failed and skipped tests. A check that has no tests counts as one test. */
export type Counts = { passed: number; failed: number; skipped: number };

/** A test file with the time in ms from its first import to the end of its last hook. */
export type FileTime = { file: string; ms: number };

export type Skip = { name: string; reason: string | undefined };

export type Failure = { name: string; error: string };

/** Result of a check step. `text` explains a failure that was not shown while the step ran. */
export type Outcome = {
  counts: Counts;
  files?: readonly FileTime[];
  skips?: readonly Skip[];
  failures?: readonly Failure[];
  text?: string;
};

export function toSentence({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

export function addUp(all: readonly Counts[]): Counts {
  const sum = (key: keyof Counts): number => all.reduce((total, counts) => total + counts[key], 0);
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}

export function verdict(hasPassed: boolean): Counts {
  return { passed: Number(hasPassed), failed: Number(!hasPassed), skipped: 0 };
}

/** A runner that fails without a failed test (a crash, an error between tests) counts as one failure. */
export function counted(code: number, counts: Counts): Counts {
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

/** Lists failed tests with their errors, one per line; the step's own name if no failed test is known. */
export function listFailures(step: string, { counts, failures = [] }: Outcome): string[] {
  if (counts.failed === 0) return [];
  if (failures.length === 0) return [`  ${step}`];
  return failures.map(({ name, error }) => `  ${step}: ${name}: ${error}`);
}

export function firstLine(message: string): string {
  return stripVTControlCharacters(message).trim().split("\n")[0] ?? "";
}

export function listSlowest(files: readonly FileTime[]): string[] {
  return files
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, 10)
    .map(({ file, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${file}`);
}
