import type { EnvironmentSpec } from "#trainer/spec/environment.ts";

/** Whether actions of this environment are programs in Python or change some, whose interpreter takes 1.5 s to load and 100 MB to hold. */
export function runsPython(id: EnvironmentSpec["id"]): boolean {
  return id === "tirMath" || id === "sweGym";
}
