import type { AttemptPaths } from "#server/domain/external/templates/fillIn.ts";
import type { ExternalFile, ExternalJob } from "#server/domain/external/templates/template.ts";
import type { RunSpec } from "#trainer/spec/run.ts";

/**
 * Resolves the program of another trainer's specification, with an attempt's paths filled in; throws if there is none.
 */
export type Resolve = (spec: RunSpec, paths: AttemptPaths) => ExternalJob;

/** Program for the adapter to start. If it cannot be resolved, the run fails with an explanation in its log. */
export function resolveProgram(resolve: Resolve | undefined, spec: RunSpec, paths: AttemptPaths): ExternalFile {
  try {
    if (resolve === undefined) throw new Error("this studio knows no other trainers");
    return resolve(spec, paths);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
