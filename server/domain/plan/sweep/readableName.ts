/** `name`: the run as people call it, "CISPO, seed 2 (Table 3, Sokoban)"; null if the studio does not have the run. */
export type BranchedFrom = { runId: string; name: string | null };

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
