/**
 * `name`: the run as people call it, "CISPO, seed 2 (Table 3, Sokoban)". It and the run's sweep are null if the studio
 * does not have the run.
 */
export type BranchedFrom = { runId: string; name: string | null; sweepId: string | null; sweepName: string | null };

/** Returns a sweep's name with the run that it branches from as people call it, instead of the run's id. */
export function readableName({
  name,
  branchedFrom,
}: {
  name: string;
  branchedFrom?: BranchedFrom | undefined;
}): string {
  const { runId, name: called } = branchedFrom ?? { runId: "", name: null };
  return called === null ? name : name.replace(runId, () => called);
}

/** Returns the readable name without the sweep of the run: "Rescue of CISPO, seed 2 after 20". */
export function nameInStudy(sweep: { name: string; branchedFrom?: BranchedFrom | undefined }): string {
  const sweepName = sweep.branchedFrom?.sweepName;
  return sweepName ? readableName(sweep).replace(` (${sweepName})`, "") : sweep.name;
}
