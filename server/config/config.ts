import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

// An empty variable means an unset one, as in most shells' use.
const orUnset = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === "" ? undefined : value), schema);
const optional = orUnset(z.string().optional());

const Environment = z.object({
  DATABASE_URL: optional,
  PORT: orUnset(z.coerce.number().int().min(1).max(65_535).default(7331)),
  ARLARENA_HOST: z.string().default("127.0.0.1"),
  ARLARENA_HOME: optional,
  ARLARENA_SECRET: optional,
  ARLARENA_TRAINER_BUNDLE: optional,
  ARLARENA_PLAY_MEMORY_MB: orUnset(z.coerce.number().int().min(500).default(4000)),
  ARLARENA_GRACE_SECONDS: orUnset(z.coerce.number().min(1).default(30)),
  XDG_DATA_HOME: optional,
  LOCALAPPDATA: optional,
});

export type Config = {
  host: string;
  port: number;
  /** The one folder where state lives. */
  home: string;
  /** Undefined: the embedded PostgreSQL. */
  databaseUrl: string | undefined;
  /** Signs sessions; demanded before listening on more than loopback. Undefined: one of the state folder's own. */
  secret: string | undefined;
  /** The trainer as one file; undefined: run it from source. */
  trainerBundle: string | undefined;
  /** What a process may hold that plays a language model. */
  playMemoryBytes: number;
  /** How long after an outage of the orchestrator no run is declared lost. */
  graceMs: number;
};

/** What the environment says, checked. Command-line options go before it. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const parsed = Environment.safeParse(environment);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const name = String(issue?.path[0]);
    throw new Error(`${name}="${environment[name] ?? ""}" in the environment: ${issue?.message ?? "not understood"}`);
  }
  const values = parsed.data;
  return {
    host: values.ARLARENA_HOST,
    port: values.PORT,
    home: values.ARLARENA_HOME ?? defaultHome(values),
    databaseUrl: values.DATABASE_URL,
    secret: values.ARLARENA_SECRET,
    trainerBundle: values.ARLARENA_TRAINER_BUNDLE,
    playMemoryBytes: 1e6 * values.ARLARENA_PLAY_MEMORY_MB,
    graceMs: 1000 * values.ARLARENA_GRACE_SECONDS,
  };
}

function defaultHome({ XDG_DATA_HOME, LOCALAPPDATA }: z.infer<typeof Environment>): string {
  if (XDG_DATA_HOME !== undefined) return join(XDG_DATA_HOME, "arlarena");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "arlarena");
  if (process.platform === "win32") return join(LOCALAPPDATA ?? join(homedir(), "AppData", "Local"), "arlarena");
  return join(homedir(), ".local", "share", "arlarena");
}
