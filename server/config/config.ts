import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { AppError } from "#packages/base";

// Wraps a schema so that an empty environment variable counts as unset, as is common in shells.
export const orUnset = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === "" ? undefined : value), schema);
const optional = orUnset(z.string().optional());

/** Parses environment variables. Errors name the variable, its value and the limit. */
export function parseVariables<S extends z.ZodObject>(schema: S, environment: NodeJS.ProcessEnv): z.output<S> {
  const parsed = schema.safeParse(environment, { error: sayLimit });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = String(issue?.path[0]);
  throw new AppError("bad_input", `${name}="${environment[name] ?? ""}" in the environment: ${issue?.message}`);
}

/** States a limit in words; other errors keep the library's words. */
const sayLimit: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === "too_small") return `must be at least ${issue.minimum}`;
  if (issue.code === "too_big") return `must be at most ${issue.maximum}`;
  if (issue.code === "invalid_type") return issue.expected === "int" ? "must be a whole number" : "must be a number";
  return undefined;
};

const Environment = z.object({
  DATABASE_URL: optional,
  PORT: orUnset(z.coerce.number().int().min(1).max(65_535).default(7331)),
  ARLARENA_HOST: orUnset(z.string().default("127.0.0.1")),
  ARLARENA_HOME: optional,
  ARLARENA_SECRET: optional,
  ARLARENA_TRAINER_BUNDLE: optional,
  ARLARENA_PLAY_MEMORY_MB: orUnset(z.coerce.number().int().min(500).default(4000)),
  ARLARENA_GRACE_SECONDS: orUnset(z.coerce.number().min(1).default(30)),
  ARLARENA_TICK_MS: orUnset(z.coerce.number().int().min(10).default(500)),
  XDG_DATA_HOME: optional,
  LOCALAPPDATA: optional,
});

export type Config = {
  host: string;
  port: number;
  home: string;
  /** URL of the database; if undefined, the embedded PostgreSQL is used. */
  databaseUrl: string | undefined;
  /** Secret that signs session cookies, required beyond loopback; if undefined, the state folder has one. */
  secret: string | undefined;
  /** Path of the bundled trainer program; if undefined, the trainer runs from source. */
  trainerBundle: string | undefined;
  playMemoryBytes: number;
  /** Grace period in ms after an outage of the orchestrator, during which no run is declared lost. */
  graceMs: number;
  tickMs: number;
};

/** Parses the studio's configuration from environment variables. Command-line options override it. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const values = parseVariables(Environment, environment);
  return {
    host: values.ARLARENA_HOST,
    port: values.PORT,
    home: values.ARLARENA_HOME ?? defaultHome(values),
    databaseUrl: values.DATABASE_URL,
    secret: values.ARLARENA_SECRET,
    trainerBundle: values.ARLARENA_TRAINER_BUNDLE,
    playMemoryBytes: 1e6 * values.ARLARENA_PLAY_MEMORY_MB,
    graceMs: 1000 * values.ARLARENA_GRACE_SECONDS,
    tickMs: values.ARLARENA_TICK_MS,
  };
}

function defaultHome({ XDG_DATA_HOME, LOCALAPPDATA }: z.infer<typeof Environment>): string {
  if (XDG_DATA_HOME !== undefined) return join(XDG_DATA_HOME, "arlarena");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "arlarena");
  if (process.platform === "win32") return join(LOCALAPPDATA ?? join(homedir(), "AppData", "Local"), "arlarena");
  return join(homedir(), ".local", "share", "arlarena");
}

/** Explains that the studio cannot be served below a path: its pages, forms and streams use URLs from the root. */
export function sayBasePath(path: string): string {
  return `ARLArena Studio does not work below a path such as ${path}: give the studio its own host name or port (docs/people.md)`;
}

/** Returns an error message if the environment sets a base path, which the studio does not support. */
export function findBasePath(environment: NodeJS.ProcessEnv): string | undefined {
  const named = environment["ARLARENA_BASE_PATH"] ?? "";
  if (named !== "" && named !== "/") return `ARLARENA_BASE_PATH=${named}: ${sayBasePath(named)}`;
  const host = (environment["ARLARENA_HOSTS"] ?? "").split(",").find((one) => one.includes("/"));
  if (host === undefined) return undefined;
  const path = host.replace(/^https?:\/\//, "").replace(/^[^/]*/, "");
  if (path === "" || path === "/")
    return `ARLARENA_HOSTS: ${host} is an address; write a host name such as studio.example.org`;
  return `ARLARENA_HOSTS=${host}: ${sayBasePath(path)}`;
}
