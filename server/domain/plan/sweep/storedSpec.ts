import { z } from "zod";
import { Method } from "#trainer/spec/methodSchema.ts";
import { CellSpec } from "#trainer/spec/run.ts";
import { isImported } from "./isImported.ts";
import { StatedSettings } from "./statement.ts";

/** User's statement about a configuration, beside the contents of its files. It was not recorded by the trainer. */
const Stated = z.strictObject({
  method: Method.exactOptional(),
  /** True if the environment was stated too; `environment` of the specification is then the stated one. */
  environment: z.literal(true).exactOptional(),
  settings: StatedSettings.exactOptional(),
});

/**
 * Known facts about a configuration of another trainer: names, sizes and the settings in its files. It has no defaults,
 * because they are unknown here, and the four dimensions only if a user stated them.
 */
export const ImportedSpec = z.strictObject({
  kind: z.literal("imported"),
  /** Id of a built-in environment, or any name. */
  environment: z.strictObject({ id: z.string().min(1).max(100) }),
  method: z.string().min(1).max(100),
  /** Number of episodes behind a success rate, required by rules that account for sampling noise. */
  sampling: z.strictObject({
    numEpisodes: z.int().min(1),
    groupSize: z.int().min(1),
    numHeldOut: z.int().min(1),
  }),
  budget: z.strictObject({ iterations: z.int().min(0) }),
  stated: Stated.exactOptional(),
});
export type ImportedSpec = z.infer<typeof ImportedSpec>;

/** Specification in a stored cell: ours, or the known facts about an imported run. */
export type StoredSpec = CellSpec | ImportedSpec;

/** Point in the four dimensions: planned, or stated by a user; undefined if unknown. */
export function pointOf(spec: StoredSpec): Method | undefined {
  return isImported(spec) ? spec.stated?.method : spec.method;
}

/** True where a user stated something about it. */
export function isStated(spec: StoredSpec): boolean {
  return isImported(spec) && spec.stated !== undefined;
}

export function parseStoredSpec(value: unknown): StoredSpec {
  const marked = z.object({ kind: z.literal("imported") }).safeParse(value);
  return marked.success ? ImportedSpec.parse(value) : CellSpec.parse(value);
}
