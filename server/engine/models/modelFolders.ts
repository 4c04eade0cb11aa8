import { realpathSync } from "node:fs";
import { dirname, isAbsolute, normalize } from "node:path";
import { isInside } from "#server/config/isInside.ts";
import { listCached } from "#trainer/policy/hub/findModel.ts";

/** Folders from which a plan may name models. "any": the caller has a terminal and could read all files anyway. */
export type ModelFolders = readonly string[] | "any";

/**
 * True if a model's path lies in an allowed folder, both as written and after its links are resolved. For a missing
 * path, its longest existing part is checked, so that results reveal nothing outside the folders.
 */
export function isAllowed(path: string, folders: ModelFolders): boolean {
  if (folders === "any") return true;
  if (!isAbsolute(path)) return false;
  const plain = normalize(path);
  const named = folders.filter((folder) => isInside(plain, folder));
  if (named.length === 0) return false;
  const real = resolveExisting(plain);
  return folders.some((folder) => isInside(real, folder) || isInside(real, resolveExisting(folder)));
}

function resolveExisting(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : resolveExisting(parent);
  }
}

const maxListed = 100;

/** Suggests models for a new sweep: those of earlier sweeps and of this machine's Hugging Face cache. */
export function listModels(used: readonly string[]): string[] {
  return [...new Set([...used, ...listCached()])].slice(0, maxListed);
}
