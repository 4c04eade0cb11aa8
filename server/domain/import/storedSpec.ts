import { z } from "zod";
import { Method } from "#trainer/spec/methodSchema.ts";
import { CellSpec } from "#trainer/spec/run.ts";
import { isImported } from "./isImported.ts";
import { StatedSettings } from "./statement.ts";

/** What a person has stated of a configuration, beside what its files hold. Nothing of it was recorded. */
const Stated = z.strictObject({
  method: Method.exactOptional(),
  /** Its environment is a person's word too; `environment` of the specification is then that one. */
  environment: z.literal(true).exactOptional(),
  settings: StatedSettings.exactOptional(),
});

/**
 * What is known of a configuration that another trainer has carried out: names, sizes and whatever settings its files
 * hold. It has no defaults, because nobody here knows them, and the four dimensions only where a person stated them.
 */
export const ImportedSpec = z.strictObject({
  kind: z.literal("imported"),
  /** An environment of ours by its id, or any name. */
  environment: z.strictObject({ id: z.string().min(1).max(100) }),
  method: z.string().min(1).max(100),
  /** Episodes behind a success rate: what rules that weigh chance need. */
  sampling: z.strictObject({
    numEpisodes: z.int().min(1),
    groupSize: z.int().min(1),
    numHeldOut: z.int().min(1),
  }),
  budget: z.strictObject({ iterations: z.int().min(0) }),
  stated: Stated.exactOptional(),
});
export type ImportedSpec = z.infer<typeof ImportedSpec>;

/** What a stored cell holds: a specification of ours, or what is known of somebody else's. */
export type StoredSpec = CellSpec | ImportedSpec;

/** The point in the four dimensions: planned, or stated by a person; undefined where nobody knows it. */
export function pointOf(spec: StoredSpec): Method | undefined {
  return isImported(spec) ? spec.stated?.method : spec.method;
}

/** Whether a person has stated something of it. */
export function isStated(spec: StoredSpec): boolean {
  return isImported(spec) && spec.stated !== undefined;
}

export function parseStoredSpec(value: unknown): StoredSpec {
  const marked = z.object({ kind: z.literal("imported") }).safeParse(value);
  return marked.success ? ImportedSpec.parse(value) : CellSpec.parse(value);
}
