import { formatCount } from "#app/_charts/format.ts";

/** Refetches everything derived from the sweep's runs. */
export function seedEffects(word: string, onDone: () => void) {
  const toast = ({ numRuns }: { numRuns: number }) => `${formatCount(numRuns, "run")} ${word}`;
  return { toast, onDone, stale: "everything", showsError: true } as const;
}
