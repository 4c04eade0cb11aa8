import { sayStart } from "#server/config/startCommand.ts";
import type { Config } from "#server/config/config.ts";
import { readStudio } from "#server/config/studio.ts";
import type { Studio } from "../command.ts";
import { AppError } from "#packages/base";
import { refuseNewer } from "#prisma/migrate.ts";
import { generateClient } from "#server/start/generateClient.ts";
import { isConnectionLost } from "../problem.ts";

/** Connects to the studio of --home, else to DATABASE_URL, else to the studio of the configured state folder. */
export async function connect(config: Config, home?: string): Promise<Studio> {
  const folder = home ?? config.home;
  const running = await readStudio(folder);
  const url = home === undefined ? (config.databaseUrl ?? running?.databaseUrl) : running?.databaseUrl;
  if (url === undefined) {
    const where = `no studio runs on the state folder ${folder}`;
    throw new AppError("unavailable", `ARLArena Studio is not running: start it with \`${sayStart()}\` (${where})`);
  }
  // The database client is generated here if only `npm ci` was run; usually `npm start` generates it.
  await generateClient(new AbortController().signal);
  const { makeDatabase } = await import("#server/db/storage/client.ts");
  const database = makeDatabase(url, { maxConnections: 4 });
  try {
    await database.pool.query("SELECT FROM sweep LIMIT 1");
  } catch (cause) {
    await database.close();
    throw toUnavailable(url, cause);
  }
  await refuseNewer(url).catch(async (cause: unknown) => {
    await database.close();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AppError("unavailable", `the database at ${new URL(url).host} cannot be used: ${reason}`, { cause });
  });
  return { database, address: running?.databaseUrl === url ? running.address : undefined, home: folder };
}

function toUnavailable(url: string, cause: unknown): AppError {
  const host = URL.canParse(url) ? new URL(url).host : "DATABASE_URL";
  const reason = cause instanceof Error ? cause.message || String("code" in cause ? cause.code : cause.name) : "";
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "42P01") {
    return new AppError("unavailable", `the database at ${host} has no tables yet: \`${sayStart()}\` creates them`, {
      cause,
    });
  }
  const hint = cause instanceof Error && isConnectionLost(cause) ? `; start it with \`${sayStart()}\`` : "";
  return new AppError("unavailable", `the database at ${host} does not answer: ${reason}${hint}`, { cause });
}
