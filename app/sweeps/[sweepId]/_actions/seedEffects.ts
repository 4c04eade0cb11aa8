import { formatCount } from "#app/_charts/format.ts";

/** Everything that is made of the sweep's runs is read again. */
export function seedEffects(word: string, onDone: () => void) {
  const toast = ({ numRuns }: { numRuns: number }) => `${formatCount(numRuns, "run")} ${word}`;
  return { toast, onDone, stale: "everything", showsError: true } as const;
}
