import type { EnvironmentSpec } from "#trainer/spec/environment.ts";

/** True where actions contain Python programs. Their interpreter takes 1.5 s to load and 100 MB of memory. */
export function runsPython(id: EnvironmentSpec["id"]): boolean {
  return id === "tirMath" || id === "sweGym";
}
