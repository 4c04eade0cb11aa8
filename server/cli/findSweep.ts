import type { Database } from "#server/db/client.ts";
import { listSweeps, type SweepSummary } from "#server/db/sweeps.ts";
import { AppError } from "#server/domain/errors.ts";
import { closeMatches } from "#server/domain/sweep/closeMatches.ts";

/** The sweep that somebody means by its id, its name, or the beginning of its id; refuses to guess between several. */
export async function findSweep(database: Database, said: string): Promise<SweepSummary> {
  return chooseSweep(await listSweeps(database), said);
}

export function chooseSweep<Known extends { id: string; name: string }>(sweeps: readonly Known[], said: string): Known {
  const exact = sweeps.find(({ id }) => id === said);
  if (exact) return exact;
  const named = sweeps.filter(({ name }) => name === said);
  const meant = named.length > 0 ? named : sweeps.filter(({ id }) => said !== "" && id.startsWith(said));
  const [only, ...others] = meant;
  if (only && others.length === 0) return only;
  if (only) {
    const ids = meant.slice(0, 5).map(({ id }) => id);
    throw new AppError("conflict", `${meant.length} sweeps are meant by "${said}": ${ids.join(", ")}; give an id`);
  }
  const close = closeMatches(
    said,
    sweeps.map(({ id }) => id),
  );
  const hint = close.length > 0 ? `did you mean ${close.join(" or ")}?` : "`npx arlarena sweeps` lists them";
  throw new AppError("not_found", `there is no sweep "${said}"; ${hint}`);
}

/** Runs are named SWEEP-cCELL-sSEED; a sweep's id never ends like that. */
export function isRunId(said: string): boolean {
  return /-c\d+-s\d+$/.test(said);
}
