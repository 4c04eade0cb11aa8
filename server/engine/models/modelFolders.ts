import { realpathSync } from "node:fs";
import { dirname, isAbsolute, normalize } from "node:path";
import { isInside } from "#server/config/isInside.ts";
import { listCached } from "#trainer/policy/hub/findModel.ts";

/** Folders whose models may be named by path. "any": the caller has a terminal and could read all files. */
export type ModelFolders = readonly string[] | "any";

/**
 * True if a path lies in one of these folders, both as written and after its links are resolved. For a missing path the
 * last existing part decides, so that answers reveal nothing outside the folders.
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

/** Resolved target of the longest existing part of a path. */
function resolveExisting(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : resolveExisting(parent);
  }
}

const maxListed = 100;

/** Suggested pretrained models for a new sweep: those of earlier sweeps, and those in this machine's hub cache. */
export function listModels(used: readonly string[]): string[] {
  return [...new Set([...used, ...listCached()])].slice(0, maxListed);
}
