import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Config } from "#server/config/config.ts";
import { sayStart } from "#server/config/startCommand.ts";

export const help = `${sayStart("[options]")}

Starts ARLArena Studio: its database, the web app and the orchestrator. Ctrl-C stops all three; training goes on.

  --port NUMBER        port of the web app (PORT, default 7331)
  --host ADDRESS       address to listen on (ARLARENA_HOST, default 127.0.0.1);
                       any address other than loopback requires ARLARENA_SECRET
  --home FOLDER        where all state lives (ARLARENA_HOME, default: the user's data folder)
  --database-url URL   another PostgreSQL instead of the embedded one (DATABASE_URL)
  --open, --no-open    open the browser, or not (default: not)
  --help               print this text

Options override the environment variables in brackets. ARLARENA_HOSTS=a,b lists further host names that the web app
answers to, for example behind a proxy.`;

export type Options =
  | { kind: "help" }
  | { kind: "wrong"; problem: string }
  | { kind: "start"; config: Config; opens: boolean };

export function parseOptions(argv: readonly string[], config: Config): Options {
  try {
    const { values } = parseArgs({
      args: [...argv],
      allowNegative: true,
      options: {
        port: { type: "string" },
        host: { type: "string" },
        home: { type: "string" },
        "database-url": { type: "string" },
        open: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
    if (values.help) return { kind: "help" };
    const port = values.port === undefined ? config.port : Number(values.port);
    if (!Number.isInteger(port) || port < 1 || port > 65_535) {
      return { kind: "wrong", problem: `--port ${values.port}: a port is a whole number from 1 to 65535` };
    }
    const host = values.host ?? config.host;
    if (!isLoopback(host) && (config.secret ?? "").length < 16) {
      const problem = `${host} can be reached from other machines: set ARLARENA_SECRET (16 characters or more) first`;
      return { kind: "wrong", problem };
    }
    const home = resolve(values.home ?? config.home);
    const databaseUrl = values["database-url"] ?? config.databaseUrl;
    return { kind: "start", config: { ...config, port, host, home, databaseUrl }, opens: values.open ?? false };
  } catch (error) {
    return {
      kind: "wrong",
      problem: `${error instanceof Error ? error.message : String(error)} (${sayStart("--help")})`,
    };
  }
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
