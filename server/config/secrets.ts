import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "#packages/base";

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads secrets (such as access tokens) by name. Throws for an unknown name; the message contains only the name. */
export type ReadSecrets = (names: readonly string[]) => Record<string, string>;

/** Reads secrets from `secrets.env` (lines `NAME=value`, private to its owner) or the orchestrator's environment. */
export function readSecrets(
  { home, environment = process.env }: { home: string; environment?: Environment },
  names: readonly string[],
): Record<string, string> {
  if (names.length === 0) return {};
  const path = join(home, "secrets.env");
  const kept = readFile(path);
  return Object.fromEntries(
    names.map((name) => {
      const value = kept.get(name) ?? environment[name];
      if (value !== undefined && value !== "") return [name, value];
      throw new AppError(
        "bad_input",
        `the secret ${name} is neither in ${path} nor in the orchestrator's environment: add a line ${name}=… to that file (chmod 600)`,
      );
    }),
  );
}

function readFile(path: string): Map<string, string> {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined) return new Map();
  if ((mode & 0o077) !== 0) {
    const others = (mode & 0o777).toString(8);
    throw new AppError("bad_input", `${path} has mode ${others}: others could read its secrets; chmod 600 ${path}`);
  }
  const lines = readFileSync(path, "utf8").split("\n");
  return new Map(
    lines.flatMap((line) => {
      const [, name, value = ""] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value.trim().replace(/^(["'])(.*)\1$/, "$2")] as const];
    }),
  );
}
