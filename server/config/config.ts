import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

// An empty variable means an unset one, as in most shells' use.
const optional = z.preprocess((value) => (value === "" ? undefined : value), z.string().optional());

const Environment = z.object({
  DATABASE_URL: optional,
  PORT: z.preprocess(
    (value) => (value === "" ? undefined : value),
    z.coerce.number().int().min(1).max(65_535).default(7331),
  ),
  ARLARENA_HOST: z.string().default("127.0.0.1"),
  ARLARENA_HOME: optional,
  ARLARENA_SECRET: optional,
  ARLARENA_TRAINER_BUNDLE: optional,
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
  };
}

function defaultHome({ XDG_DATA_HOME, LOCALAPPDATA }: z.infer<typeof Environment>): string {
  if (XDG_DATA_HOME !== undefined) return join(XDG_DATA_HOME, "arlarena");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "arlarena");
  if (process.platform === "win32") return join(LOCALAPPDATA ?? join(homedir(), "AppData", "Local"), "arlarena");
  return join(homedir(), ".local", "share", "arlarena");
}
