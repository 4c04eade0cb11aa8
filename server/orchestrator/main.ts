import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { makeLocalLauncher } from "#server/launchers/local.ts";
import { orchestrate } from "./orchestrate.ts";

/** The orchestrator as a process. SIGTERM or SIGINT ends it; its jobs run on, and the next one finds them again. */
const environment = z
  .object({
    DATABASE_URL: z.url(),
    ARLARENA_HOME: z.string().min(1),
    /** Jobs at once; each trainer uses one thread. */
    ARLARENA_SLOTS: z.coerce.number().int().min(1).max(1024).default(availableParallelism()),
    /** The trainer as one file; without it the source is run. */
    ARLARENA_TRAINER_BUNDLE: z.string().optional(),
  })
  .parse(process.env);

const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stop.abort());

await orchestrate(
  {
    databaseUrl: environment.DATABASE_URL,
    launcher: makeLocalLauncher({
      runsFolder: join(environment.ARLARENA_HOME, "runs"),
      command: trainerCommand(environment.ARLARENA_TRAINER_BUNDLE),
    }),
    slots: environment.ARLARENA_SLOTS,
    log: (text) => console.log(`${new Date().toISOString()} orchestrator: ${text}`),
  },
  stop.signal,
);

function trainerCommand(bundle: string | undefined): string[] {
  if (bundle !== undefined) return [process.execPath, bundle];
  const source = fileURLToPath(new URL("../../trainer/run/main.ts", import.meta.url));
  return [process.execPath, "--import", import.meta.resolve("tsx"), source];
}
