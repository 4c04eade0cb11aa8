import { z } from "zod";
import type { EnvironmentSpec } from "#trainer/spec/environment.ts";

/** An environment as typed: the text of each knob, by name. */
export const EnvironmentDraft = z.object({ id: z.string(), values: z.record(z.string(), z.string()) });
export type EnvironmentDraft = z.infer<typeof EnvironmentDraft>;

export function draftEnvironment({ id, ...knobs }: EnvironmentSpec): EnvironmentDraft {
  return { id, values: Object.fromEntries(Object.entries(knobs).map(([key, value]) => [key, String(value)])) };
}
