import { availableParallelism } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { readConfig } from "#server/config/config.ts";
import { makeLogger } from "#server/config/logger.ts";
import { makeLocalLauncher } from "#server/launchers/local.ts";
import { orchestrate } from "./orchestrate.ts";

/** The orchestrator as a process. SIGTERM or SIGINT ends it; its jobs run on, and the next one finds them again. */
const { databaseUrl, home, trainerBundle } = readConfig();
if (databaseUrl === undefined) throw new Error("DATABASE_URL is not set: the orchestrator starts no database");

/** Jobs at once; each trainer uses one thread. */
const Slots = z.coerce.number().int().min(1).max(1024).default(availableParallelism());
const slots = Slots.parse(process.env["ARLARENA_SLOTS"] || undefined);

const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stop.abort());

const logger = makeLogger("orchestrator");
const launcher = makeLocalLauncher({ runsFolder: join(home, "runs"), ...trainer(trainerBundle) });
await orchestrate({ databaseUrl, launcher, slots, log: logger.info }, stop.signal);

// A bundle lies in a folder named after its content, which the log's first line then tells.
function trainer(bundle: string | undefined) {
  // Runs of one sweep compile the same graphs.
  const graphs = join(home, "graphs");
  if (bundle !== undefined) {
    const environment = { ARLARENA_TRAINER_HASH: basename(dirname(bundle)), ARLARENA_GRAPH_CACHE: graphs };
    return { command: [process.execPath, bundle], environment };
  }
  const source = fileURLToPath(new URL("../../trainer/run/main.ts", import.meta.url));
  const command = [process.execPath, "--import", import.meta.resolve("tsx"), source];
  return { command, environment: { ARLARENA_GRAPH_CACHE: graphs } };
}
