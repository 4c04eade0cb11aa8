import { z } from "zod";
import { Method } from "#trainer/spec/methodSchema.ts";
import { CellSpec } from "#trainer/spec/run.ts";
import { isImported } from "./isImported.ts";
import { StatedSettings } from "./statement.ts";

/** Facts that a user entered about a configuration of another trainer, apart from the contents of its files. */
const Stated = z.strictObject({
  method: Method.exactOptional(),
  /** True if the user also entered the environment, which is then the specification's `environment`. */
  environment: z.literal(true).exactOptional(),
  settings: StatedSettings.exactOptional(),
});

/**
 * Known facts about a configuration of another trainer: names, sizes and the settings in its files. Default values are
 * absent, since the trainer's defaults are unknown. The four dimensions are present only if a user entered them.
 */
export const ImportedSpec = z.strictObject({
  kind: z.literal("imported"),
  /** Environment, whose id is that of a built-in environment or any other name. */
  environment: z.strictObject({ id: z.string().min(1).max(100) }),
  method: z.string().min(1).max(100),
  /** Numbers of episodes behind success rates, from which detector rules compute the sampling noise. */
  sampling: z.strictObject({
    numEpisodes: z.int().min(1),
    groupSize: z.int().min(1),
    numHeldOut: z.int().min(1),
  }),
  budget: z.strictObject({ iterations: z.int().min(0) }),
  stated: Stated.exactOptional(),
});
export type ImportedSpec = z.infer<typeof ImportedSpec>;

/** Specification stored in a cell: that of a planned run, or the known facts about an imported run. */
export type StoredSpec = CellSpec | ImportedSpec;

export function pointOf(spec: StoredSpec): Method | undefined {
  return isImported(spec) ? spec.stated?.method : spec.method;
}

export function isStated(spec: StoredSpec): boolean {
  return isImported(spec) && spec.stated !== undefined;
}

export function parseStoredSpec(value: unknown): StoredSpec {
  const marked = z.object({ kind: z.literal("imported") }).safeParse(value);
  return marked.success ? ImportedSpec.parse(value) : CellSpec.parse(value);
}
