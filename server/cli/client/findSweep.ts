import type { Database } from "#server/db/storage/client.ts";
import type { SweepSummary } from "#server/db/plan/sweeps.ts";
import { AppError } from "#packages/base";
import { closeMatches } from "#server/domain/plan/sweep/closeMatches.ts";

/** Finds a sweep by id, name or unique prefix of its id; throws if no sweep or several sweeps match. */
export async function findSweep(database: Database, text: string): Promise<SweepSummary> {
  const { listSweeps } = await import("#server/db/plan/sweeps.ts");
  const sweeps = await listSweeps(database);
  const exact = sweeps.find(({ id }) => id === text);
  if (exact) return exact;
  const named = sweeps.filter(({ name }) => name === text);
  const matches = named.length > 0 ? named : sweeps.filter(({ id }) => text !== "" && id.startsWith(text));
  const [only, ...others] = matches;
  if (only && others.length === 0) return only;
  if (only) {
    const ids = matches.slice(0, 5).map(({ id }) => id);
    throw new AppError("conflict", `${matches.length} sweeps match "${text}": ${ids.join(", ")}; give an id`);
  }
  const close = closeMatches(
    text,
    sweeps.map(({ id }) => id),
  );
  const hint = close.length > 0 ? `did you mean ${close.join(" or ")}?` : "`npx arlarena sweeps` lists them";
  throw new AppError("not_found", `there is no sweep "${text}"; ${hint}`);
}

/** True for a run's id, which has the form SWEEP-cCELL-sSEED; a sweep's id never ends like this. */
export function isRunId(text: string): boolean {
  return /-c\d+-s\d+$/.test(text);
}
