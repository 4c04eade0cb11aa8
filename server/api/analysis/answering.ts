import type { Database } from "#server/db/storage/client.ts";
import { maxSweepsTogether } from "#server/domain/plan/sweep/maxSweeps.ts";
import { findDependentSweeps } from "#server/db/runs/dependentRuns.ts";
import { readRuns } from "#server/db/runs/runs.ts";
import { listSweeps } from "#server/db/plan/sweeps.ts";
import { claims } from "#server/domain/analysis/claims/answer.ts";
import { type Answering, listAnswering } from "#server/domain/analysis/claims/findings.ts";
import type { Asked } from "#server/domain/analysis/questionOptions.ts";
import { countOver } from "#server/domain/runs/progress.ts";
import { makeAsks } from "./answerQuestion.ts";

const { claims: askClaims } = makeAsks({ claims });

/** Maximum number of runs that are analysed together; with more runs, other pages would have to wait. */
const maxTogether = 300;

/** Returns the claims that the chosen sweeps decide only together with the newest other sweeps (up to the limits). */
export async function readAnswering(database: Database, { sweepIds, ...study }: Asked<"claims">): Promise<Answering[]> {
  const all = await listSweeps(database);
  const dependent = await findDependentSweeps(
    database.pool,
    all.map(({ id }) => id),
  );
  // Claims of branches are about these branches only; other sweeps cannot decide them.
  if (sweepIds.every((id) => dependent.has(id))) return [];
  const others: string[] = [];
  let numRuns = all.reduce((sum, one) => sum + (sweepIds.includes(one.id) ? one.numRuns : 0), 0);
  for (const { id, isArchived, counts, numRuns: more } of all) {
    // A sweep that is still training or being imported would contribute only part of its runs.
    if (isArchived || countOver(counts) < more || sweepIds.includes(id) || dependent.has(id)) continue;
    if (numRuns + more > maxTogether) continue;
    if (others.length + sweepIds.length === maxSweepsTogether) break;
    others.push(id);
    numRuns += more;
  }
  if (others.length === 0) return [];
  const nameOf = new Map(all.map(({ id, name }) => [id, name]));
  const studies = new Set(sweepIds.flatMap((id) => studyOf(nameOf.get(id)) ?? []));
  const siblings = others.filter((id) => studies.has(studyOf(nameOf.get(id)) ?? ""));
  const runs = await readRuns(database, { sweepIds: [...sweepIds, ...others] });
  const sweepOf = new Map(runs.map((run) => [run.id, run.sweepId]));
  const alone = await askClaims(database, { sweepIds, ...study });
  const decideWith = async (added: readonly string[]) => {
    if (added.length === 0) return [];
    const together = await askClaims(database, { sweepIds: [...sweepIds, ...added], ...study });
    return listAnswering({ alone: alone.findings, together: together.findings }, sweepOf, sweepIds);
  };
  // Sweeps of the same study decide alone what they can: tests with all sweeps also use runs that are not needed.
  const bySiblings = await decideWith(siblings);
  const byAll = siblings.length === others.length ? [] : await decideWith(others);
  const isDecided = new Set(bySiblings.map(({ claimId }) => claimId));
  return [...bySiblings, ...byAll.filter(({ claimId }) => !isDecided.has(claimId))];
}

/** Returns the study of a sweep named "Table 3, Sokoban": "Table 3"; undefined for a name without a comma. */
function studyOf(name = ""): string | undefined {
  return name.includes(", ") ? name.slice(0, name.lastIndexOf(", ")) : undefined;
}
