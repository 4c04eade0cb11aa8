import type { Database } from "#server/db/storage/client.ts";
import { countPoints } from "#server/db/runs/countPoints.ts";
import { AppError } from "#packages/base";

/** Limit of a few seconds of a core: 400 runs of 2,000 iterations with 20 metrics, or 8,000 with one. */
const maxPoints = 16_000_000;

type Selection = { runIds: readonly string[]; keys: readonly string[] };

/** Throws `bad_input` with number and limit if a table would read too many points. */
export async function refusePoints({ pool }: Pick<Database, "pool">, selection: Selection): Promise<void> {
  const numPoints = await countPoints(pool, selection, maxPoints);
  if (numPoints <= maxPoints) return;
  const [given, limit] = [numPoints, maxPoints].map((n) => n.toLocaleString("en-US"));
  const message = `these metrics have ${given} points in these sweeps, limit is ${limit}: choose fewer of either`;
  throw new AppError("bad_input", message);
}
