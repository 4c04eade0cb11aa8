import { join } from "node:path";
import { fetchPackages, packagesFolder } from "#server/engine/wheels/fetchPackages.ts";
import { root } from "#server/start/root.ts";
import type { Packages } from "../packages.ts";

/** Downloads sympy for tests, once per checkout. Returns undefined if no package index is reachable. */
export async function findSympy(): Promise<Packages | undefined> {
  const home = join(root, "node_modules/.cache/arlarena");
  try {
    await fetchPackages(home, ["sympy"]);
  } catch (error) {
    console.log(error instanceof Error ? error.message : error);
    return undefined;
  }
  return { names: ["sympy"], folder: packagesFolder(home) };
}
