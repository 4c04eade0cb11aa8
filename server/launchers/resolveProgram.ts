import type { AttemptPaths } from "#server/domain/external/templates/fillIn.ts";
import type { ExternalFile, ExternalJob } from "#server/domain/external/templates/template.ts";
import type { RunSpec } from "#trainer/spec/run.ts";

/** Which program of another trainer a specification means, with an attempt's paths filled in; it throws where there is none. */
export type Resolve = (spec: RunSpec, paths: AttemptPaths) => ExternalJob;

/** What the adapter is to start. A program that cannot be named is the run's failure, told in its log, not ours. */
export function resolveProgram(resolve: Resolve | undefined, spec: RunSpec, paths: AttemptPaths): ExternalFile {
  try {
    if (resolve === undefined) throw new Error("this studio knows no other trainers");
    return resolve(spec, paths);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
