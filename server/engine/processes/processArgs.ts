import { join } from "node:path";

/**
 * Arguments of `node` for a process of the web app: one file beside its build, else the source in this process's
 * checkout.
 */
export function processArgs({ bundle, source }: { bundle: string; source: string }): string[] {
  const folder = process.env["ARLARENA_PLAYERS"];
  if (folder !== undefined) return [join(folder, `${bundle}.mjs`)];
  return ["--import", "tsx", join(process.cwd(), source)];
}
