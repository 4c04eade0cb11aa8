import type { Finding } from "./findings.ts";

/** A claim that these runs leave open, and the sweeps whose runs would decide it. */
export type Answering = { claimId: string; sweepIds: readonly string[] };

type Judged = Pick<Finding, "id" | "outcome" | "parts">;

/**
 * Claims that are open on the chosen sweeps and answered with others beside them. Sweeps are those whose runs the answer compares,
 * in the order of `sweepOf`; those chosen already are left out.
 * @param sweepOf the sweep of each run that was studied together
 */
export function listAnswering(
  { alone, together }: { alone: readonly Judged[]; together: readonly Judged[] },
  sweepOf: ReadonlyMap<string, string>,
  chosen: readonly string[],
): Answering[] {
  const isOpen = new Set(alone.filter(({ outcome }) => outcome === "notEnough").map(({ id }) => id));
  return together
    .filter(({ id, outcome }) => isOpen.has(id) && outcome !== "notEnough")
    .flatMap(({ id, parts }) => {
      const runIds = new Set(parts.flatMap(({ sides }) => sides.flatMap((side) => side.runIds)));
      const sweeps = [...sweepOf].flatMap(([runId, sweepId]) => (runIds.has(runId) ? [sweepId] : []));
      const others = [...new Set(sweeps)].filter((sweepId) => !chosen.includes(sweepId));
      return others.length > 0 ? [{ claimId: id, sweepIds: others }] : [];
    });
}
