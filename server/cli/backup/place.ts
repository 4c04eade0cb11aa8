import { resolve } from "node:path";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";

/** State folder of a studio that may be stopped, its DATABASE_URL if set, and the version of this program. */
export type Place = { home: string; databaseUrl: string | undefined; version: string };

export async function readPlace(command: CommandUnknownOpts): Promise<Place> {
  const { readConfig } = await import("#server/config/config.ts");
  const { home, databaseUrl } = readConfig();
  const named: unknown = command.optsWithGlobals()["home"];
  const version = command.parent?.version() ?? "unknown";
  return { home: resolve(typeof named === "string" ? named : home), databaseUrl, version };
}
