import type { Finding } from "./findings.ts";

/** An open claim, and the sweeps whose runs would decide it. */
export type Answering = { claimId: string; sweepIds: readonly string[] };

type Judged = Pick<Finding, "id" | "outcome" | "parts">;

/**
 * Claims that are open on the chosen sweeps but answered with others added. Lists the sweeps of the compared runs in
 * the order of `sweepOf`, without those already chosen. @param sweepOf sweep of each run studied
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
