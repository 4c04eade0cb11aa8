import { readRunIds, type RunScope } from "#server/db/runs/runs.ts";
import { readSuperseded } from "#server/db/runs/superseded.ts";
import type { Database } from "#server/db/storage/client.ts";
import { makeGhosts } from "#server/domain/runs/series/ghosts.ts";

type Asked = { scope: RunScope; keys: readonly string[]; options: Parameters<typeof makeGhosts>[1] };

/** Reads the points of attempts that later attempts replaced, at the resolution of a chart. */
export async function readGhosts(database: Database, { scope, keys, options }: Asked) {
  const runIds = (await readRunIds(database, scope)).flatMap((cell) => cell.runIds);
  return makeGhosts(await readSuperseded(database.pool, { runIds, keys }), options);
}
