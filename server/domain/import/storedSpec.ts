import { z } from "zod";
import { CellSpec } from "#trainer/spec/run.ts";

/**
 * What is known of a configuration that another trainer has carried out: names, sizes and whatever settings its files
 * hold. It has no four dimensions and no defaults, because nobody here knows them.
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
});
export type ImportedSpec = z.infer<typeof ImportedSpec>;

/** What a stored cell holds: a specification of ours, or what is known of somebody else's. */
export type StoredSpec = CellSpec | ImportedSpec;

export function isImported(spec: StoredSpec): spec is ImportedSpec {
  return "kind" in spec;
}

export function parseStoredSpec(value: unknown): StoredSpec {
  const marked = z.object({ kind: z.literal("imported") }).safeParse(value);
  return marked.success ? ImportedSpec.parse(value) : CellSpec.parse(value);
}
