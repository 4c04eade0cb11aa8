/** How many tests passed, failed and were left out; a check that only says yes or no counts as one. */
export type Counts = { passed: number; failed: number; skipped: number };

/** Milliseconds from a test file's first import to its last hook. */
export type FileTime = { file: string; ms: number };

/** A test that was left out, and why. */
export type Skip = { name: string; reason: string | undefined };

/** What a step found: `text` explains a failure that was not shown while the step ran. */
export type Outcome = { counts: Counts; files?: readonly FileTime[]; skips?: readonly Skip[]; text?: string };

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

/** A runner that fails without naming a test (a crash, an error between tests) still counts as a failure. */
export function counted(code: number, counts: Counts): Counts {
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

/** The ten files that took longest, a line each. */
export function listSlowest(files: readonly FileTime[]): string[] {
  return files
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, 10)
    .map(({ file, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${file}`);
}
